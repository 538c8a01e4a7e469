-- Documents that were given up because their message was nowhere, and that nobody has brought to
-- another end since.
-- $1 since  $2 until  $3 limit
SELECT f.document_id::text AS subject,
       'run ' || f.run || ' before ' || coalesce(f.detail->>'stage', '') AS detail,
       count(*) OVER () AS total
  FROM document_facts AS f
  JOIN documents_seen AS d ON d.document_id = f.document_id
 WHERE d.accepted_at >= $1
   AND d.accepted_at < $2
   AND d.status = 'failed'
   AND d.run = f.run
   AND f.type = 'document.failed'
   AND f.detail->>'reason' = 'lost'
 ORDER BY f.said_at, subject
 LIMIT $3;
