-- Where a document stands, as far as facts have told.
-- $1 document_id
SELECT document_id, owner_id, accepted_at, status, run, moved_at
  FROM documents_seen
 WHERE document_id = $1;
