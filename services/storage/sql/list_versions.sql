-- Every version of one document, of one owner or of anybody's, oldest first.
-- $1 document_id  $2 owner_id
SELECT s.document_id, s.version, s.owner_id, s.accepted_at, s.result_key, s.has_files,
       s.verdict, s.stored_at,
       s.version = coalesce(o.version, max(s.version) OVER ()) AS is_current
  FROM stored_results s
  LEFT JOIN outputs o USING (document_id)
 WHERE s.document_id = $1
   AND ($2::text IS NULL OR s.owner_id = $2)
 ORDER BY s.version;
