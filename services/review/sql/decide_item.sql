-- One verdict per version, by somebody in whose way no claim stands, and for whom it is: whoever
-- holds it, whom it was given to, who is of its level, or a lead. Everything is asked again here,
-- under the row's lock: what the handler saw may be history.
-- $1 document_id  $2 version  $3 reviewer  $4 verdict  $5 reviewed_key  $6 reason_code
-- $7 reason  $8 duplicate_of  $9 lead
UPDATE review_items
   SET status = $4,
       reviewed_key = coalesce($5, reviewed_key),
       reason_code = $6,
       reason = $7,
       duplicate_of = $8,
       reopened_by = NULL,
       version = version + 1,
       revision = revision + 1,
       claimed_by = NULL,
       claimed_until = NULL,
       decided_by = $3,
       decided_at = now()
 WHERE document_id = $1
   AND version = $2
   AND status IN ('pending', 'in_review')
   AND (claimed_by IS NULL OR claimed_by = $3 OR claimed_until < now())
   AND ($9::boolean
        OR (claimed_by = $3 AND claimed_until >= now())
        OR (coalesce(assigned_to, $3) = $3
            AND level <= coalesce((SELECT r.level FROM reviewers r WHERE r.name = $3), 1)))
RETURNING *, (claimed_until >= now()) IS TRUE AS claim_holds;
