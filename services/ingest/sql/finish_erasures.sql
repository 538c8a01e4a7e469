-- All have reported: the tombstone no longer says that something is being erased. That it was
-- deleted, and when, stays as it is.
-- $1 document_ids
WITH gone AS (
    DELETE FROM erasures
     WHERE document_id = ANY ($1::uuid[])
       AND awaited = '{}'
    RETURNING document_id)
UPDATE documents d
   SET stage = 'done',
       revision = d.revision + 1
  FROM gone g
 WHERE d.document_id = g.document_id;
