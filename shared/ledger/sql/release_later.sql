-- Move over what has waited long enough.
-- $1 count
WITH due AS (
    DELETE FROM outbox_later
     WHERE id IN (SELECT id
                    FROM outbox_later
                   WHERE available_at <= now()
                   ORDER BY available_at
                   LIMIT $1
                     FOR UPDATE SKIP LOCKED)
    RETURNING priority, exchange, routing_key, type, headers, body)
INSERT INTO outbox (priority, exchange, routing_key, type, headers, body)
SELECT priority, exchange, routing_key, type, headers, body FROM due
RETURNING id;
