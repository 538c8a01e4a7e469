-- Items that need nobody, the oldest first. Whatever a person does to one makes it a person's.
-- $1 limit
SELECT *, false AS claim_holds
  FROM review_items
 WHERE automatic
   AND status = 'pending'
 ORDER BY opened_at
 LIMIT $1;
