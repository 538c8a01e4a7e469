-- A new endpoint, unless its owner has as many as are allowed.
-- $1 webhook_id  $2 owner_id  $3 url  $4 events  $5 description  $6 enabled  $7 webhooks_max
INSERT INTO webhooks (webhook_id, owner_id, url, events, description, enabled)
SELECT $1::uuid, $2::text, $3::text, $4::text[], $5::text, $6::boolean
 WHERE (SELECT count(*) FROM webhooks w WHERE w.owner_id = $2::text AND w.deleted_at IS NULL)
       < $7::integer
RETURNING webhook_id, owner_id, url, events, description, enabled, disabled_reason, secret_version,
          overlap_until, failures, failing_since, created_at, updated_at, revision;
