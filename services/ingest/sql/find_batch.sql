-- One batch, if the asker may see it: without an owner every batch is his.
-- $1 batch_id  $2 owner_id
SELECT batch_id, owner_id, created_at, completed_at, deleted_at, revision, rejected, documents,
       counts, progress, version
  FROM batch_standings
 WHERE batch_id = $1::uuid
   AND ($2::text IS NULL OR owner_id = $2::text);
