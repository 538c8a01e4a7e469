-- Forget what documents were about. Of their approvals a tombstone stays: who was given one
-- is told that it is gone, and receipts keep adding up.
-- $1 document_ids
WITH unlisted AS (
    DELETE FROM result_index
     WHERE document_id = ANY ($1::uuid[])
)
UPDATE approvals
   SET erased_at = coalesce(erased_at, now())
 WHERE document_id = ANY ($1::uuid[]);
