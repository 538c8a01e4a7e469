-- The same content of the same owner, read in the same way before: then no engine is asked.
-- $1 owner_id  $2 sha256  $3 config
SELECT document_id, extraction_key
  FROM processed_documents
 WHERE owner_id = $1
   AND sha256 = $2
   AND config = $3;
