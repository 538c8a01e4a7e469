-- Everything is asked again under the row's lock: of two people who change the same version at
-- once one gets no row. A claim that has ended is no claim.
-- $1 document_id  $2 version  $3 reviewer
UPDATE review_items
   SET version = version + 1
 WHERE document_id = $1
   AND version = $2
   AND status = 'in_review'
   AND claimed_by = $3
   AND claimed_until >= now()
RETURNING *, (claimed_until >= now()) IS TRUE AS claim_holds;
