-- Lend what is due to one sender, endpoint after endpoint, no more than each may get at once.
-- A second look after the lock: what others claimed before it is counted here. A lease that
-- ended unanswered makes its delivery due again.
-- $1 webhook_ids  $2 at_once  $3 limit  $4 lease_s
WITH room AS (
    SELECT w.webhook_id,
           CASE WHEN w.failures > 0 THEN 1 ELSE $2::integer END
           - (SELECT count(*)
                FROM webhook_deliveries s
               WHERE s.webhook_id = w.webhook_id
                 AND s.state = 'sending'
                 AND s.due_at > now()) AS free
      FROM webhooks w
     WHERE w.webhook_id = ANY ($1::uuid[])),
due AS (
    SELECT found.delivery_id,
           row_number() OVER (PARTITION BY r.webhook_id ORDER BY found.due_at) AS nth
      FROM room r
     CROSS JOIN LATERAL (
            SELECT d.delivery_id, d.due_at
              FROM webhook_deliveries d
             WHERE d.webhook_id = r.webhook_id
               AND d.due_at <= now()
             ORDER BY d.due_at
             LIMIT greatest(r.free, 0)
               FOR UPDATE SKIP LOCKED) AS found),
served AS (
    UPDATE webhooks
       SET served_at = now()
     WHERE webhook_id = ANY ($1::uuid[]))
UPDATE webhook_deliveries d
   SET state = 'sending',
       lease_id = gen_random_uuid(),
       due_at = now() + make_interval(secs => $4::double precision),
       attempt = d.attempt + 1
  FROM webhooks w
 WHERE w.webhook_id = d.webhook_id
   AND d.delivery_id IN (SELECT delivery_id FROM due ORDER BY nth LIMIT $3::integer)
RETURNING d.delivery_id, d.webhook_id, d.lease_id, d.event, d.body, d.run, d.attempt, w.url,
          w.secret_version, coalesce(w.overlap_until > now(), false) AS overlaps;
