-- A page of everybody's batches, newest first.
-- $1 before_at  $2 before_id  $3 limit
SELECT batch_id, owner_id, created_at, completed_at, deleted_at, revision, rejected, documents,
       counts, progress, version
  FROM batch_standings
 WHERE (created_at, batch_id) < ($1::timestamptz, $2::uuid)
   AND deleted_at IS NULL
 ORDER BY created_at DESC, batch_id DESC
 LIMIT $3::integer;
