-- Documents that came to an end and of which nobody said that they were accepted.
-- $1 since  $2 until  $3 limit
SELECT d.document_id::text AS subject, d.status AS detail, count(*) OVER () AS total
  FROM documents_seen AS d
 WHERE d.accepted_at >= $1
   AND d.accepted_at < $2
   AND d.rank BETWEEN 90 AND 99
   AND NOT EXISTS (
        SELECT 1
          FROM document_facts AS f
         WHERE f.document_id = d.document_id
           AND f.type = 'document.accepted')
 ORDER BY d.accepted_at, subject
 LIMIT $3;
