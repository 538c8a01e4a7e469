-- A new secret; for a while the one before is signed with too.
-- $1 webhook_id  $2 owner_id  $3 revision  $4 overlap_s
UPDATE webhooks
   SET secret_version = secret_version + 1,
       overlap_until = now() + make_interval(secs => $4::double precision),
       updated_at = now(),
       revision = revision + 1
 WHERE webhook_id = $1::uuid
   AND owner_id = $2::text
   AND deleted_at IS NULL
   AND revision = $3::bigint
RETURNING webhook_id, owner_id, url, events, description, enabled, disabled_reason, secret_version,
          overlap_until, failures, failing_since, created_at, updated_at, revision;
