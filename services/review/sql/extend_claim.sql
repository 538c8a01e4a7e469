-- Whoever still holds the item holds it for longer. A claim that has ended stays ended.
-- $1 document_id  $2 reviewer  $3 lease_s
UPDATE review_items
   SET claimed_until = now() + make_interval(secs => $3)
 WHERE document_id = $1
   AND status = 'in_review'
   AND claimed_by = $2
   AND claimed_until >= now()
RETURNING *, true AS claim_holds;
