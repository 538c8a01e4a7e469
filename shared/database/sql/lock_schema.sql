-- Two migrators of one schema take turns: the second finds nothing left to do. The lock goes
-- with the connection, so a killed migrator never leaves it behind.
-- $1 schema
SELECT pg_advisory_lock(hashtextextended('paperline.migrate.' || $1::text, 0));
