-- A page of what became of each letter.
-- $1 operation_id  $2 outcome  $3 after  $4 limit
SELECT *
  FROM operation_items
 WHERE operation_id = $1
   AND ($2::text IS NULL OR outcome = $2)
   AND position > $3
 ORDER BY position
 LIMIT $4;
