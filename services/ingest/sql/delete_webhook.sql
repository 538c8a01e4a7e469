-- From now on it is told nothing; what it was told is removed by the sweeper, however much.
-- $1 webhook_id  $2 owner_id
UPDATE webhooks
   SET enabled = false,
       disabled_reason = NULL,
       deleted_at = now(),
       url = '',
       description = '',
       updated_at = now(),
       revision = revision + 1
 WHERE webhook_id = $1::uuid
   AND ($2::text IS NULL OR owner_id = $2::text)
   AND deleted_at IS NULL
RETURNING webhook_id;
