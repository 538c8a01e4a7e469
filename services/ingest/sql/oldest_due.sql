-- For how long the oldest delivery has been due that could be sent: one whose endpoint is busy
-- or disabled waits for its endpoint, not for us.
-- $1 at_once
SELECT coalesce(max(extract(epoch FROM now() - oldest.due_at)), 0)::double precision
  FROM webhooks w
 CROSS JOIN LATERAL (
        SELECT d.due_at
          FROM webhook_deliveries d
         WHERE d.webhook_id = w.webhook_id
           AND d.due_at <= now()
         ORDER BY d.due_at
         LIMIT 1) AS oldest
 WHERE w.enabled
   AND (SELECT count(*)
          FROM webhook_deliveries s
         WHERE s.webhook_id = w.webhook_id
           AND s.state = 'sending'
           AND s.due_at > now())
       < CASE WHEN w.failures > 0 THEN 1 ELSE $1::integer END;
