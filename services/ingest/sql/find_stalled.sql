-- Batches that nobody's end will move on: fewer of their members are under way than may be
-- while others are held, or all have ended and nobody said so.
-- $1 at_once  $2 limit
SELECT b.batch_id
  FROM batches b
 CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE w.document_id IS NULL) AS under_way,
               count(w.document_id) AS held
          FROM batch_members m
          JOIN documents d USING (document_id)
          LEFT JOIN waiting w ON w.document_id = m.document_id AND NOT w.ready
         WHERE m.batch_id = b.batch_id
           AND d.rank < 90) AS open
 WHERE b.completed_at IS NULL
   AND (open.held > 0 AND open.under_way < $1::integer
        OR open.held = 0 AND open.under_way = 0)
 ORDER BY b.created_at, b.batch_id
 LIMIT $2::integer;
