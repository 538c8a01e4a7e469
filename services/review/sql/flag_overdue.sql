-- Open items whose time has come, the longest overdue first. Each is found once. Those that
-- somebody is just changing are found the next time.
-- $1 limit
UPDATE review_items
   SET breached_at = now()
 WHERE document_id IN (
        SELECT document_id
          FROM review_items
         WHERE status IN ('pending', 'in_review')
           AND breached_at IS NULL
           AND due_at < now()
         ORDER BY due_at
         LIMIT $1
           FOR UPDATE SKIP LOCKED)
RETURNING *, (claimed_until >= now()) IS TRUE AS claim_holds;
