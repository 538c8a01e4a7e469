-- The consumers of an owner, by name.
-- $1 owner_id  $2 limit
SELECT *
  FROM consumers
 WHERE owner_id = $1
 ORDER BY name
 LIMIT $2;
