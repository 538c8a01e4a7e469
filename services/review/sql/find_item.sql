-- One item, with the database's word on whether its claim still holds.
-- $1 document_id
SELECT *, (claimed_until >= now()) IS TRUE AS claim_holds
  FROM review_items
 WHERE document_id = $1;
