-- Results for which more than one review item was opened.
-- $1 since  $2 until  $3 limit
SELECT f.document_id::text AS subject,
       'result ' || coalesce(f.detail->>'result_version', '1') || ': ' || count(*) || ' items'
           AS detail,
       count(*) OVER () AS total
  FROM document_facts AS f
  JOIN documents_seen AS d ON d.document_id = f.document_id
 WHERE d.accepted_at >= $1
   AND d.accepted_at < $2
   AND d.status <> 'deleted'
   AND f.type = 'review.opened'
 GROUP BY f.document_id, f.detail->>'result_version'
HAVING count(*) > 1
 ORDER BY subject
 LIMIT $3;
