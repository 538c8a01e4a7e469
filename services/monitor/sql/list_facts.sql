-- What was told of a document, in the order in which it was said.
-- $1 document_id  $2 limit
SELECT document_id, job_id, type, run, said_at, trace_id, cause_id, detail
  FROM document_facts
 WHERE document_id = $1
 ORDER BY said_at, job_id
 LIMIT $2;
