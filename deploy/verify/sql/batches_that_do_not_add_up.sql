-- Batches that are over while a member is under way, or that are not although all have ended.
-- $1 limit
SELECT b.batch_id::text AS subject,
       m.under_way || ' of ' || m.members || ' under way, '
           || CASE WHEN b.completed_at IS NULL THEN 'and not completed' ELSE 'and completed' END
           AS detail,
       b.revision || ' ' || m.moved AS mark
  FROM ingest.batches b
 CROSS JOIN LATERAL (
        SELECT count(*) AS members,
               count(*) FILTER (WHERE d.rank < 90) AS under_way,
               coalesce(sum(d.revision), 0) AS moved
          FROM ingest.batch_members bm
          JOIN ingest.documents d USING (document_id)
         WHERE bm.batch_id = b.batch_id) AS m
 WHERE b.deleted_at IS NULL
   AND m.members > 0
   AND (b.completed_at IS NULL) <> (m.under_way > 0)
 ORDER BY subject
 LIMIT $1;
