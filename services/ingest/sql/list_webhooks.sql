-- Endpoints of one owner, or of all, oldest first behind a position.
-- $1 owner_id  $2 after_at  $3 after_id  $4 limit
SELECT webhook_id, owner_id, url, events, description, enabled, disabled_reason, secret_version,
       overlap_until, failures, failing_since, created_at, updated_at, revision
  FROM webhooks
 WHERE ($1::text IS NULL OR owner_id = $1::text)
   AND deleted_at IS NULL
   AND (created_at, webhook_id) > ($2::timestamptz, $3::uuid)
 ORDER BY created_at, webhook_id
 LIMIT $4::integer;
