-- Urgent documents that are released after they had to wait count like all the others.
-- $1 count
SELECT nextval('urgent_turns') FROM generate_series(1, $1::integer);
