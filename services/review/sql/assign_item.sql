-- Give an open item to one reviewer, or back to all. Another's claim ends with it.
-- $1 document_id  $2 reviewer
UPDATE review_items
   SET assigned_to = $2,
       automatic = false,
       status = CASE WHEN claimed_by = $2 THEN status ELSE 'pending' END,
       claimed_until = CASE WHEN claimed_by = $2 THEN claimed_until END,
       claimed_by = CASE WHEN claimed_by = $2 THEN claimed_by END
 WHERE document_id = $1
   AND status IN ('pending', 'in_review')
RETURNING *, (claimed_until >= now()) IS TRUE AS claim_holds;
