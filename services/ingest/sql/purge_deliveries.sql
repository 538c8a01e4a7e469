-- Forget what is too old, and all that deleted endpoints were told; at most so many at a time.
-- $1 kept_s  $2 limit
DELETE FROM webhook_deliveries
 WHERE delivery_id IN (
        SELECT old.delivery_id
          FROM webhooks w
         CROSS JOIN LATERAL (
                SELECT d.delivery_id
                  FROM webhook_deliveries d
                 WHERE d.webhook_id = w.webhook_id
                   AND d.created_at < CASE
                           WHEN w.deleted_at IS NULL
                           THEN now() - make_interval(secs => $1::double precision)
                           ELSE 'infinity'
                       END
                 ORDER BY d.created_at
                 LIMIT $2::integer
                   FOR UPDATE SKIP LOCKED) AS old
         LIMIT $2::integer)
RETURNING delivery_id;
