-- Which of these documents does nobody want any more?
-- $1 document_ids
SELECT document_id
  FROM withdrawn
 WHERE document_id = ANY($1::uuid[]);
