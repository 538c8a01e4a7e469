-- The dated paths show the current version. The caller has held the rows since it read which.
-- $1 document_ids
UPDATE outputs
   SET published_at = now()
 WHERE document_id = ANY ($1::uuid[]);
