-- Results that were stored more than once under one version. A later run tells again what it
-- found stored: that is a repair, and no second effect.
-- $1 since  $2 until  $3 limit
SELECT f.document_id::text AS subject,
       'result ' || (f.detail->>'result_version') || ': ' || count(*) || ' times' AS detail,
       count(*) OVER () AS total
  FROM document_facts AS f
  JOIN documents_seen AS d ON d.document_id = f.document_id
 WHERE d.accepted_at >= $1
   AND d.accepted_at < $2
   AND d.status <> 'deleted'
   AND f.type = 'document.stored'
 GROUP BY f.document_id, f.run, f.detail->>'result_version'
HAVING count(*) > 1
 ORDER BY subject
 LIMIT $3;
