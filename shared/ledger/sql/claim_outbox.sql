-- Take the most urgent messages out of the outbox; the deletion becomes true when the relay
-- commits, which it does after the broker has confirmed them. SKIP LOCKED lets several relays
-- share the work. Ids up to the watermark are known to be gone, so their dead rows are not
-- even looked at. Nothing is taken while somebody holds back what is sent, as a backup does for
-- its snapshot; asked under a lock of this transaction, so that who holds it knows that nobody is
-- publishing.
-- $1 count  $2 watermark
DELETE FROM outbox
 USING (SELECT id
          FROM outbox
         WHERE id > $2
           AND (SELECT pg_try_advisory_xact_lock_shared(hashtextextended('paperline.sending', 0)))
         ORDER BY priority DESC, id
         LIMIT $1
           FOR UPDATE SKIP LOCKED) AS claimed
 WHERE outbox.id = claimed.id
RETURNING outbox.id, priority, exchange, routing_key, type, headers, body;
