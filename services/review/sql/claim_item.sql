-- Lend this item, unless somebody else holds it; to its holder, for longer.
-- $1 document_id  $2 reviewer  $3 lease_s
UPDATE review_items
   SET status = 'in_review',
       claimed_by = $2,
       claimed_until = now() + make_interval(secs => $3)
 WHERE document_id = $1
   AND status IN ('pending', 'in_review')
   AND (claimed_by IS NULL OR claimed_by = $2 OR claimed_until < now())
RETURNING *, (claimed_until >= now()) IS TRUE AS claim_holds;
