-- Lend an open item to somebody, whoever holds it or was given it.
-- $1 document_id  $2 reviewer  $3 lease_s
UPDATE review_items
   SET status = 'in_review',
       claimed_by = $2,
       claimed_until = now() + make_interval(secs => $3),
       automatic = false,
       postponed_until = NULL
 WHERE document_id = $1
   AND status IN ('pending', 'in_review')
RETURNING *, true AS claim_holds;
