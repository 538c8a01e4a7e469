-- Back into the queue, if it is this reviewer who holds it.
-- $1 document_id  $2 reviewer
UPDATE review_items
   SET status = 'pending',
       claimed_by = NULL,
       claimed_until = NULL
 WHERE document_id = $1
   AND status = 'in_review'
   AND claimed_by = $2
RETURNING *, (claimed_until >= now()) IS TRUE AS claim_holds;
