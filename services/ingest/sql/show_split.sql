-- The file shows its parts, so its revision grows; and it is not deleted until the commit.
-- $1 document_id
UPDATE documents
   SET revision = revision + 1,
       updated_at = now()
 WHERE document_id = $1
   AND status <> 'deleted'
RETURNING document_id;
