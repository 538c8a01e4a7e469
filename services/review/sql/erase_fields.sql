-- The values of an earlier reading, in whose place those of the new one are kept.
-- $1 document_ids
DELETE FROM extracted_fields
 WHERE document_id = ANY($1::uuid[]);
