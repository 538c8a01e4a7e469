-- Try parked messages again that had no queue: the binding may have been repaired.
-- $1 parked_for_s  $2 count
WITH again AS (
    DELETE FROM outbox_parked
     WHERE id IN (SELECT id
                    FROM outbox_parked
                   WHERE reason = 'returned'
                     AND parked_at < now() - make_interval(secs => $1)
                   ORDER BY id
                   LIMIT $2
                     FOR UPDATE SKIP LOCKED)
    RETURNING priority, exchange, routing_key, type, headers, body)
INSERT INTO outbox (priority, exchange, routing_key, type, headers, body)
SELECT priority, exchange, routing_key, type, headers, body FROM again
RETURNING id;
