-- Endpoints that something is due for and that have room, those served longest ago first. Who
-- holds them alone may claim for them, so that their limits hold over all replicas. One that
-- has failed gets a single delivery at a time until it answers.
-- $1 limit  $2 at_once
SELECT w.webhook_id
  FROM webhooks w
 WHERE w.enabled
   AND EXISTS (
        SELECT
          FROM webhook_deliveries d
         WHERE d.webhook_id = w.webhook_id
           AND d.due_at <= now())
   AND (SELECT count(*)
          FROM webhook_deliveries s
         WHERE s.webhook_id = w.webhook_id
           AND s.state = 'sending'
           AND s.due_at > now())
       < CASE WHEN w.failures > 0 THEN 1 ELSE $2::integer END
 ORDER BY w.served_at
 LIMIT $1::integer
   FOR NO KEY UPDATE OF w SKIP LOCKED;
