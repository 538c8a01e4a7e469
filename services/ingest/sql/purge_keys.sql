-- Forget keys that stand for nothing any more. In portions, so that no client who uses one of
-- them anew waits long.
-- $1 count
DELETE FROM idempotency_keys
 WHERE (owner_id, route, idempotency_key) IN (
        SELECT owner_id, route, idempotency_key
          FROM idempotency_keys
         WHERE expires_at <= now()
         ORDER BY expires_at
         LIMIT $1
           FOR UPDATE SKIP LOCKED)
RETURNING idempotency_key;
