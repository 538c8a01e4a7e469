-- Pass an item on to those of a level, unless somebody else holds it.
-- $1 document_id  $2 reviewer  $3 level
UPDATE review_items
   SET status = 'pending',
       claimed_by = NULL,
       claimed_until = NULL,
       postponed_until = NULL,
       assigned_to = NULL,
       level = $3,
       automatic = false
 WHERE document_id = $1
   AND status IN ('pending', 'in_review')
   AND (claimed_by IS NULL OR claimed_by = $2 OR claimed_until < now())
RETURNING *, false AS claim_holds;
