-- One delivery of one endpoint; whether the asker may see the endpoint is known by now.
-- $1 webhook_id  $2 delivery_id
SELECT d.delivery_id, d.webhook_id, d.event, d.body, d.state, d.due_at, d.run, d.attempt,
       d.created_at, d.settled_at
  FROM webhook_deliveries d
 WHERE d.delivery_id = $2::uuid
   AND d.webhook_id = $1::uuid;
