-- Strays of a while ago, to be erased while the transaction holds them: whoever writes one of
-- these documents anew waits for that. What was committed meanwhile is none any more.
-- $1 older_than_s  $2 limit
DELETE FROM strays s
 WHERE s.key IN (
           SELECT key
             FROM strays
            WHERE seen_at < now() - make_interval(secs => $1)
            LIMIT $2
              FOR UPDATE SKIP LOCKED)
RETURNING s.key,
          EXISTS (
              SELECT
                FROM stored_results r
               WHERE r.document_id = s.document_id
                 AND r.version = s.version)
          OR EXISTS (
              SELECT
                FROM outputs o
               WHERE o.document_id = s.document_id
                 AND s.version = 0) AS is_kept;
