-- How far it is.
-- $1 operation_id
SELECT *
  FROM operations
 WHERE operation_id = $1;
