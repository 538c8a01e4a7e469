-- Review items of documents that never had a result, or are erased.
-- $1 limit  $2 live_s
SELECT r.document_id::text AS subject,
       'item is ' || r.status || ', the document ' || d.status AS detail,
       r.version || ' ' || d.revision AS mark
  FROM review.review_items r
  JOIN ingest.documents d USING (document_id)
 WHERE d.updated_at <= now() - make_interval(secs => $2)
   AND (d.status = 'deleted'
        AND NOT EXISTS (SELECT FROM ingest.erasures e WHERE e.document_id = d.document_id)
        OR d.status IN ('failed', 'cancelled')
        AND d.result_version = 0
        AND r.status <> 'withdrawn')
 ORDER BY subject
 LIMIT $1;
