-- The batch that a document was handed in with.
-- $1 document_id
SELECT b.batch_id, b.owner_id, b.created_at, b.completed_at, b.revision, b.rejected
  FROM batches b
  JOIN batch_members m USING (batch_id)
 WHERE m.document_id = $1::uuid;
