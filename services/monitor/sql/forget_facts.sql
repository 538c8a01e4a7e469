-- Facts whose time is over, some at once: whoever watches must not wait for all of them.
-- $1 days  $2 limit
DELETE FROM document_facts AS f
 USING (SELECT document_id, job_id
          FROM document_facts
         WHERE said_at < now() - make_interval(days => $1)
         ORDER BY said_at
         LIMIT $2) AS old
 WHERE f.document_id = old.document_id
   AND f.job_id = old.job_id
RETURNING f.job_id;
