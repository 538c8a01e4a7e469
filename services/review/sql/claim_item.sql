-- Lend this item, unless somebody else holds it or it is not for this reviewer; to its holder,
-- for longer. Whoever asks for it by its name wants it now, also when it was put off.
-- $1 document_id  $2 reviewer  $3 level  $4 lead  $5 lease_s
UPDATE review_items
   SET status = 'in_review',
       claimed_by = $2,
       claimed_until = now() + make_interval(secs => $5),
       automatic = false,
       postponed_until = NULL
 WHERE document_id = $1
   AND status IN ('pending', 'in_review')
   AND (claimed_by IS NULL OR claimed_by = $2 OR claimed_until < now())
   AND ($4::boolean OR (level <= $3 AND coalesce(assigned_to, $2) = $2))
RETURNING *, (claimed_until >= now()) IS TRUE AS claim_holds;
