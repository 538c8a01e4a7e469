-- Leave a tombstone of a batch whose documents are tombstones: the names of what was refused
-- go too. Deleting twice is deleting once.
-- $1 batch_id
UPDATE batches b
   SET deleted_at = now(),
       rejected = (SELECT coalesce(jsonb_agg(one || '{"filename": "", "detail": ""}'), '[]')
                     FROM jsonb_array_elements(b.rejected) AS one)
 WHERE b.batch_id = $1::uuid
   AND b.deleted_at IS NULL
RETURNING b.batch_id;
