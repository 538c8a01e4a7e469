-- Batches are listed, watched while they move, and looked after when nobody's end moves them.
ALTER TABLE batches ADD COLUMN deleted_at timestamptz;

CREATE INDEX ix_batches_created_at ON batches (created_at, batch_id);
CREATE INDEX ix_batches_owner_id_created_at ON batches (owner_id, created_at, batch_id);
-- Few at any time: the ones that may have to be moved on.
CREATE INDEX ix_batches_incomplete ON batches (created_at, batch_id)
 WHERE completed_at IS NULL;

-- How far a batch is, always counted and never kept: a counter could be wrong. `version` grows
-- with every change of a member, so it is an entity tag and the position of who watches.
CREATE VIEW batch_standings AS
SELECT b.batch_id, b.owner_id, b.created_at, b.completed_at, b.deleted_at, b.revision,
       b.rejected, s.documents, s.counts, s.progress, s.version
  FROM batches b
 CROSS JOIN LATERAL (
        SELECT coalesce(sum(n), 0)::integer AS documents,
               coalesce(jsonb_object_agg(status, n), '{}') AS counts,
               coalesce(sum(done) / sum(n), 100)::integer AS progress,
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
