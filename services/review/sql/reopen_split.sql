-- The file that was rejected in favour of its parts is an item again, with the reason why it has
-- none. Whoever decides it next says something else in its place.
-- $1 document_id  $2 actor  $3 split  $4 reason_code  $5 reason
UPDATE review_items
   SET status = 'pending',
       version = version + 1,
       reopened_by = $2,
       automatic = false,
       postponed_until = NULL,
       decided_by = NULL,
       decided_at = NULL,
       reason_code = $4,
       reason = $5,
       duplicate_of = NULL
 WHERE document_id = $1
   AND status = 'rejected'
   AND reason_code = $3
RETURNING *, (claimed_until >= now()) IS TRUE AS claim_holds;
