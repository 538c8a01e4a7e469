-- A page of an owner's exports, newest first; with a reach only those of its documents.
-- $1 owner_id  $2 reach  $3 created_at  $4 export_id  $5 limit
SELECT *
  FROM exports
 WHERE owner_id = $1
   AND ($2::text IS NULL OR of_owner = $2)
   AND ($3::timestamptz IS NULL OR (created_at, export_id) < ($3, $4))
 ORDER BY created_at DESC, export_id DESC
 LIMIT $5;
