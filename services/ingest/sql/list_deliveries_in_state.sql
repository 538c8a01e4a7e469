-- The same of one state, by an index of its own: few have failed among many that arrived.
-- $1 webhook_id  $2 before_at  $3 before_id  $4 limit  $5 state
SELECT d.delivery_id, d.webhook_id, d.event, d.body, d.state, d.due_at, d.run, d.attempt,
       d.created_at, d.settled_at
  FROM webhook_deliveries d
 WHERE d.webhook_id = $1::uuid
   AND d.state = $5::text
   AND (d.created_at, d.delivery_id) < ($2::timestamptz, $3::uuid)
 ORDER BY d.created_at DESC, d.delivery_id DESC
 LIMIT $4::integer;
