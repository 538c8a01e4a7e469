-- Send again what has arrived or was given up: the same delivery in its next run. One that is
-- still under way is left alone, so asking twice sends once.
-- $1 webhook_id  $2 delivery_id
UPDATE webhook_deliveries d
   SET state = 'pending',
       due_at = now(),
       settled_at = NULL,
       run = d.run + 1,
       attempt = 0
 WHERE d.delivery_id = $2::uuid
   AND d.webhook_id = $1::uuid
   AND d.state IN ('delivered', 'failed')
RETURNING d.delivery_id, d.webhook_id, d.event, d.body, d.state, d.due_at, d.run, d.attempt,
          d.created_at, d.settled_at;
