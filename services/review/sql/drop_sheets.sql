-- How these documents looked so far.
-- $1 document_ids
DELETE FROM sheets
 WHERE document_id = ANY($1::uuid[]);
