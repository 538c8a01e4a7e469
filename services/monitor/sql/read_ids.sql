-- By which names was an operation given its letters? None, when by what they are.
-- $1 operation_id
SELECT letter_ids
  FROM operation_ids
 WHERE operation_id = $1;
