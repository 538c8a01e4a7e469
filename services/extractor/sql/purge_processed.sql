-- Forget answers that serve nobody any more. In portions, so that nobody waits for it.
-- $1 ttl_s  $2 count
DELETE FROM processed_documents
 WHERE (owner_id, sha256, config) IN (
        SELECT owner_id, sha256, config
          FROM processed_documents
         WHERE kept_at <= now() - make_interval(secs => $1)
         ORDER BY kept_at
         LIMIT $2
           FOR UPDATE SKIP LOCKED)
RETURNING document_id;
