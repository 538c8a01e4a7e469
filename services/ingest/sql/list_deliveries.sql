-- What an endpoint was told, newest first behind a position.
-- $1 webhook_id  $2 before_at  $3 before_id  $4 limit
SELECT d.delivery_id, d.webhook_id, d.event, d.body, d.state, d.due_at, d.run, d.attempt,
       d.created_at, d.settled_at
  FROM webhook_deliveries d
 WHERE d.webhook_id = $1::uuid
   AND (d.created_at, d.delivery_id) < ($2::timestamptz, $3::uuid)
 ORDER BY d.created_at DESC, d.delivery_id DESC
 LIMIT $4::integer;
