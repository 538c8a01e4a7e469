-- Of the documents of a period: how many were accepted, and where do they stand?
-- $1 since  $2 until
SELECT d.status, count(*) AS documents,
       count(*) FILTER (WHERE EXISTS (
           SELECT 1
             FROM document_facts AS f
            WHERE f.document_id = d.document_id
              AND f.type = 'document.accepted')) AS accepted
  FROM documents_seen AS d
 WHERE d.accepted_at >= $1
   AND d.accepted_at < $2
 GROUP BY d.status;
