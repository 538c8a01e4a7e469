-- The answers of withdrawn documents serve nobody from now on. Where they lie is remembered until
-- they are erased there: that takes its time, and is not done under a lock.
-- $1 document_ids
WITH gone AS (
    DELETE FROM processed_documents
     WHERE document_id = ANY ($1::uuid[])
    RETURNING extraction_key, document_id)
INSERT INTO withdrawn_answers (extraction_key, document_id)
SELECT extraction_key, document_id
  FROM gone
 ORDER BY extraction_key
    ON CONFLICT (extraction_key) DO NOTHING;
