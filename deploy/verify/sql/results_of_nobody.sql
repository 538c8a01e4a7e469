-- Results that are kept of documents which were withdrawn, or have no such version any more.
-- $1 limit  $2 live_s
SELECT s.document_id::text AS subject,
       'version ' || s.version || ' is kept, and the document is ' || d.status AS detail,
       d.revision::text AS mark
  FROM storage.stored_results s
  JOIN ingest.documents d USING (document_id)
 WHERE d.status IN ('cancelled', 'deleted')
   AND d.updated_at <= now() - make_interval(secs => $2)
   -- Its erasing may have just been asked for, and is tried until it is done.
   AND NOT EXISTS (SELECT FROM ingest.erasures e WHERE e.document_id = d.document_id)
 ORDER BY subject
 LIMIT $1;
