-- Answers whose bytes are lost: the next look reads their contents anew.
-- $1 document_ids
DELETE FROM processed_documents
 WHERE document_id = ANY ($1::uuid[]);
