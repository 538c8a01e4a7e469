-- As it stays until the commit: a step that is under way ends first.
-- $1 operation_id
SELECT *
  FROM operations
 WHERE operation_id = $1
   FOR UPDATE;
