-- Give an item back to be read anew. It leaves its reviewer's hands and is not handed out for a
-- while; should no reading come, it is an item like any other again. Who may is who may decide it.
-- $1 document_id  $2 version  $3 actor  $4 wait_s  $5 lead
UPDATE review_items
   SET status = 'pending',
       claimed_by = NULL,
       claimed_until = NULL,
       postponed_until = now() + make_interval(secs => $4),
       reextract_asked_at = now(),
       reextract_asked_by = $3,
       automatic = false,
       version = version + 1
 WHERE document_id = $1
   AND version = $2
   AND status IN ('pending', 'in_review')
   AND (claimed_by IS NULL OR claimed_by = $3 OR claimed_until < now())
   AND ($5::boolean
        OR (claimed_by = $3 AND claimed_until >= now())
        OR (coalesce(assigned_to, $3) = $3
            AND level <= coalesce((SELECT r.level FROM reviewers r WHERE r.name = $3), 1)))
RETURNING *, false AS claim_holds;
