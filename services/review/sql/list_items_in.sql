-- A page of the items in one status, oldest first.
-- $1 status  $2 opened_at  $3 document_id  $4 limit
SELECT *, (claimed_until >= now()) IS TRUE AS claim_holds
  FROM review_items
 WHERE status = $1
   AND (opened_at, document_id) > ($2, $3)
 ORDER BY opened_at, document_id
 LIMIT $4;
