-- They are reported in this commit.
-- $1 document_ids
DELETE FROM erasures
 WHERE document_id = ANY ($1::uuid[]);
