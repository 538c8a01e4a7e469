-- Readings of documents that never came back. In portions, so that nobody waits for it.
-- $1 patience_s  $2 count
DELETE FROM own_readings
 WHERE (owner_id, sha256, config) IN (
        SELECT owner_id, sha256, config
          FROM own_readings
         WHERE kept_at <= now() - make_interval(secs => $1)
         ORDER BY kept_at
         LIMIT $2
           FOR UPDATE SKIP LOCKED)
RETURNING document_id;
