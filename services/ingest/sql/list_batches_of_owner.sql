-- A page of one owner's batches, newest first, read backwards along its index.
-- $1 before_at  $2 before_id  $3 limit  $4 owner_id
SELECT batch_id, owner_id, created_at, completed_at, deleted_at, revision, rejected, documents,
       counts, progress, version
  FROM batch_standings
 WHERE owner_id = $4::text
   AND (created_at, batch_id) < ($1::timestamptz, $2::uuid)
   AND deleted_at IS NULL
 ORDER BY created_at DESC, batch_id DESC
 LIMIT $3::integer;
