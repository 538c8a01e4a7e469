-- Which of these documents have been deleted?
-- $1 document_ids
SELECT document_id
  FROM documents_seen
 WHERE document_id = ANY($1::uuid[])
   AND status = 'deleted';
