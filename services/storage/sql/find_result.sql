-- The current version of one document, of one owner or of anybody's: what the dated paths show,
-- and of a document without files of its own the last that was kept.
-- $1 document_id  $2 owner_id
SELECT s.document_id, s.version, s.owner_id, s.accepted_at, s.result_key, s.has_files,
       s.verdict, s.stored_at, true AS is_current
  FROM stored_results s
  LEFT JOIN outputs o USING (document_id, version)
 WHERE s.document_id = $1
   AND ($2::text IS NULL OR s.owner_id = $2)
 ORDER BY o.version IS NULL, s.version DESC
 LIMIT 1;
