-- Documents of which two different ends were told within one run.
-- $1 since  $2 until  $3 limit
SELECT f.document_id::text AS subject,
       'run ' || f.run || ': ' || string_agg(DISTINCT f.detail->>'status', ', ') AS detail,
       count(*) OVER () AS total
  FROM document_facts AS f
  JOIN documents_seen AS d ON d.document_id = f.document_id
 WHERE d.accepted_at >= $1
   AND d.accepted_at < $2
   AND f.type = 'document.ended'
 GROUP BY f.document_id, f.run
HAVING count(DISTINCT f.detail->>'status') > 1
 ORDER BY subject
 LIMIT $3;
