-- A deleted document's answer must not live on in the answers to other uploads.
-- $1 document_ids
DELETE FROM processed_documents
 WHERE document_id = ANY ($1::uuid[])
RETURNING extraction_key;
