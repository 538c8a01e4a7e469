-- Operations that have letters of these documents before them or on their way, or are finding
-- out: none moves until the commit. They lock letters in whatever order the planner likes, and
-- with whoever erases many at once would wait crosswise.
-- $1 document_ids
SELECT operation_id
  FROM operations
 WHERE state = 'preparing'
    OR operation_id IN (
        SELECT i.operation_id
          FROM dead_letters AS l
          JOIN operation_items AS i ON i.letter_id = l.letter_id
         WHERE l.document_id = ANY ($1::uuid[]))
 ORDER BY operation_id
   FOR UPDATE;
