-- One consumer of an owner.
-- $1 owner_id  $2 name
SELECT *
  FROM consumers
 WHERE owner_id = $1
   AND name = $2;
