-- Documents with these bytes, or whose file is called so, the latest first.
-- $1 sha256  $2 filename_like  $3 limit
SELECT d.document_id, d.owner_id, d.accepted_at, d.status, d.run, d.moved_at,
       f.detail->>'filename' AS filename
  FROM document_facts AS f
  JOIN documents_seen AS d ON d.document_id = f.document_id
 WHERE f.type = 'document.accepted'
   AND (f.detail->>'sha256' = $1::text OR lower(f.detail->>'filename') LIKE $2::text)
 ORDER BY d.accepted_at DESC, d.document_id
 LIMIT $3;
