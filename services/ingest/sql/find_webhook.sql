-- One endpoint, if the asker may see it: without an owner every one is his.
-- $1 webhook_id  $2 owner_id
SELECT webhook_id, owner_id, url, events, description, enabled, disabled_reason, secret_version,
       overlap_until, failures, failing_since, created_at, updated_at, revision
  FROM webhooks
 WHERE webhook_id = $1::uuid
   AND ($2::text IS NULL OR owner_id = $2::text)
   AND deleted_at IS NULL;
