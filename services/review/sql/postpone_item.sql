-- Put an item off, unless somebody else holds it. Its due time does not wait.
-- $1 document_id  $2 reviewer  $3 until
UPDATE review_items
   SET status = 'pending',
       claimed_by = NULL,
       claimed_until = NULL,
       postponed_until = $3,
       automatic = false
 WHERE document_id = $1
   AND status IN ('pending', 'in_review')
   AND (claimed_by IS NULL OR claimed_by = $2 OR claimed_until < now())
   AND $3 > now()
RETURNING *, false AS claim_holds;
