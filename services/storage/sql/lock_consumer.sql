-- Of two who ask for the next batch of one consumer the second waits, and gets the same.
-- $1 owner_id  $2 name
SELECT *
  FROM consumers
 WHERE owner_id = $1
   AND name = $2
   FOR UPDATE;
