-- Those of these batches that nobody moves just now, in key order. A statement of its own: the
-- count after it must see what the last holder committed.
-- $1 batch_ids
SELECT batch_id
  FROM batches
 WHERE batch_id = ANY ($1::uuid[])
   AND completed_at IS NULL
 ORDER BY batch_id
   FOR UPDATE SKIP LOCKED;
