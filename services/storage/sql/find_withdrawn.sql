-- Which of these documents were cancelled or deleted while they were on their way here.
-- $1 document_ids
SELECT document_id
  FROM withdrawn
 WHERE document_id = ANY ($1::uuid[]);
