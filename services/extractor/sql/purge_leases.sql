-- Leases of the dead whose content never came again, and refusals that stand no more. Long after
-- their time: a holder that could not renew in time may still keep its answer.
-- $1 count
DELETE FROM leases
 WHERE (owner_id, sha256, config) IN (
        SELECT owner_id, sha256, config
          FROM leases
         WHERE held_until <= now() - interval '1 hour'
         ORDER BY held_until
         LIMIT $1
           FOR UPDATE SKIP LOCKED)
RETURNING document_id;
