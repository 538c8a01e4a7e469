-- What its owner says about an endpoint, if it is still as he saw it. One that is turned on, or
-- leads elsewhere now, has not failed yet.
-- $1 webhook_id  $2 owner_id  $3 revision  $4 url  $5 events  $6 description  $7 enabled
UPDATE webhooks
   SET url = coalesce($4::text, url),
       events = coalesce($5::text[], events),
       description = coalesce($6::text, description),
       enabled = coalesce($7::boolean, enabled),
       disabled_reason = CASE WHEN $7::boolean IS NULL THEN disabled_reason END,
       failures = CASE WHEN $7::boolean OR $4::text <> url THEN 0 ELSE failures END,
       failing_since = CASE WHEN $7::boolean OR $4::text <> url THEN NULL
                            ELSE failing_since END,
       updated_at = now(),
       revision = revision + 1
 WHERE webhook_id = $1::uuid
   AND ($2::text IS NULL OR owner_id = $2::text)
   AND deleted_at IS NULL
   AND revision = $3::bigint
RETURNING webhook_id, owner_id, url, events, description, enabled, disabled_reason, secret_version,
          overlap_until, failures, failing_since, created_at, updated_at, revision;
