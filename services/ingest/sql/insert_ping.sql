-- A delivery to one endpoint, whatever events it asked for.
-- $1 delivery_id  $2 webhook_id  $3 event  $4 fact_id  $5 body
INSERT INTO webhook_deliveries AS d (delivery_id, webhook_id, event, fact_id, body)
VALUES ($1::uuid, $2::uuid, $3::text, $4::uuid, $5::text)
RETURNING d.delivery_id, d.webhook_id, d.event, d.body, d.state, d.due_at, d.run, d.attempt,
          d.created_at, d.settled_at;
