-- A batch is at 100 % when its last document has ended: until then its progress is rounded down.
CREATE OR REPLACE VIEW batch_standings AS
SELECT b.batch_id, b.owner_id, b.created_at, b.completed_at, b.deleted_at, b.revision,
       b.rejected, s.documents, s.counts, s.progress, s.version
  FROM batches b
 CROSS JOIN LATERAL (
        SELECT coalesce(sum(n), 0)::integer AS documents,
               coalesce(jsonb_object_agg(status, n), '{}') AS counts,
               coalesce(floor(sum(done) / sum(n)), 100)::integer AS progress,
               (coalesce(sum(revision), 0) + b.revision)::bigint AS version
          FROM (SELECT d.status,
                       count(*) AS n,
                       -- Ended is ended, however it went.
                       sum(CASE WHEN d.rank >= 90 THEN 100 ELSE d.progress END) AS done,
                       sum(d.revision) AS revision
                  FROM batch_members m
                  JOIN documents d USING (document_id)
                 WHERE m.batch_id = b.batch_id
                 GROUP BY d.status) AS found) AS s;
