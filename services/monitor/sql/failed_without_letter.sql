-- Documents that failed in a stage, and whose message is not among the dead letters.
-- $1 since  $2 until  $3 limit
SELECT f.document_id::text AS subject,
       'run ' || f.run || ': ' || coalesce(f.detail->>'reason', '') AS detail,
       count(*) OVER () AS total
  FROM document_facts AS f
  JOIN documents_seen AS d ON d.document_id = f.document_id
 WHERE d.accepted_at >= $1
   AND d.accepted_at < $2
   AND d.status <> 'deleted'
   AND f.type = 'document.failed'
   AND f.detail->>'reason' IS DISTINCT FROM 'lost'
   -- Its letter lies in another queue, and is drained beside the facts.
   AND f.heard_at < now() - interval '10 minutes'
   AND NOT EXISTS (
        SELECT 1
          FROM dead_letters AS l
         WHERE l.document_id = f.document_id
           AND l.run >= f.run)
   AND NOT EXISTS (SELECT 1 FROM letters_purged AS p WHERE p.document_id = f.document_id)
 ORDER BY f.said_at, subject
 LIMIT $3;
