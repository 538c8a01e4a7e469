-- The repair of storage puts these under their dated paths anew.
-- $1 document_ids
UPDATE storage.outputs
   SET published_at = NULL,
       changed_at = now() - interval '1 day'
 WHERE document_id = ANY ($1::uuid[]);
