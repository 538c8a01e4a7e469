-- By what these documents were recognised so far.
-- $1 document_ids
DELETE FROM invoice_keys
 WHERE document_id = ANY($1::uuid[]);
