-- Which of these documents are held, by whom and why.
-- $1 document_ids
SELECT document_id, hold_since AS since, hold_by AS by, hold_reason AS reason
  FROM documents
 WHERE document_id = ANY ($1::uuid[])
   AND hold_since IS NOT NULL
 ORDER BY document_id;
