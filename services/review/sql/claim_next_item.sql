-- Lend the most urgent open item to one reviewer for a while. SKIP LOCKED lets two reviewers
-- ask in the same instant and get two different items, neither waiting.
-- $1 reviewer  $2 lease_s
UPDATE review_items
   SET status = 'in_review',
       claimed_by = $1,
       claimed_until = now() + make_interval(secs => $2)
 WHERE document_id = (
        SELECT document_id
          FROM review_items
         WHERE status IN ('pending', 'in_review')
           AND (claimed_until IS NULL OR claimed_until < now())
         ORDER BY (-priority), opened_at, document_id
         LIMIT 1
           FOR UPDATE SKIP LOCKED)
RETURNING *, (claimed_until >= now()) IS TRUE AS claim_holds;
