-- The items of deleted documents go with all their values; only the audit log remembers them.
-- $1 document_ids
DELETE FROM review_items
 WHERE document_id = ANY($1::uuid[])
RETURNING document_id;
