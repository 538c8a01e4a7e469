-- Take a decision back, for others to make a new one; or undo the own one of a moment ago, which
-- leaves the item in the reviewer's hands. What was split stays so: its parts are on their way.
-- `reviewed_key` and `revision` stay, so that the next decision is told from this one.
-- $1 document_id  $2 version  $3 actor  $4 undo  $5 undo_s  $6 lease_s
UPDATE review_items r
   SET status = CASE WHEN $4 THEN 'in_review' ELSE 'pending' END,
       claimed_by = CASE WHEN $4 THEN $3 END,
       claimed_until = CASE WHEN $4 THEN now() + make_interval(secs => $6) END,
       version = version + 1,
       reopened_by = $3,
       automatic = false,
       postponed_until = NULL,
       decided_by = NULL,
       decided_at = NULL,
       reason_code = NULL,
       reason = NULL,
       duplicate_of = NULL
 WHERE document_id = $1
   AND version = $2
   AND status IN ('approved', 'corrected', 'rejected')
   AND (NOT $4 OR decided_by = $3 AND decided_at >= now() - make_interval(secs => $5))
   AND NOT EXISTS (SELECT FROM split_parts s WHERE s.parent_id = r.document_id)
RETURNING *, (claimed_until >= now()) IS TRUE AS claim_holds;
