-- A page of items, oldest first, whatever became of them.
-- $1 opened_at  $2 document_id  $3 limit
SELECT *, (claimed_until >= now()) IS TRUE AS claim_holds
  FROM review_items
 WHERE (opened_at, document_id) > ($1, $2)
 ORDER BY opened_at, document_id
 LIMIT $3;
