-- How many names an owner has taken.
-- $1 owner_id
SELECT count(*)
  FROM consumers
 WHERE owner_id = $1;
