-- These parts of a file are no documents, and never will be.
-- $1 parent_id  $2 document_ids
DELETE FROM split_parts
 WHERE parent_id = $1
   AND document_id = ANY($2::uuid[])
RETURNING document_id;
