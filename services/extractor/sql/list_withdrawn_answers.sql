-- What lies somewhere still of documents that nobody wants any more.
-- $1 document_ids
SELECT extraction_key
  FROM withdrawn_answers
 WHERE document_id = ANY ($1::uuid[])
 ORDER BY extraction_key;
