-- Those batches of which a member has just ended or is begun anew, in key order. A statement of
-- its own: the count after it must see the ends that the last holder committed.
-- $1 document_ids
SELECT batch_id
  FROM batches
 WHERE batch_id IN (SELECT batch_id FROM batch_members WHERE document_id = ANY ($1::uuid[]))
 ORDER BY batch_id
   FOR UPDATE;
