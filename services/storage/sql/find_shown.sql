-- Which versions count in this moment, and what they rest on. The documents' locks are held.
-- $1 document_ids
SELECT document_id, version, reading, review_revision
  FROM outputs
 WHERE document_id = ANY ($1::uuid[]);
