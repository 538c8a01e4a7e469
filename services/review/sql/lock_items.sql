-- The items these documents have already, held until the commit: a decision that comes at the
-- same moment is either seen here or told that the item has changed.
-- $1 document_ids
SELECT *, (claimed_until >= now()) IS TRUE AS claim_holds
  FROM review_items
 WHERE document_id = ANY($1::uuid[])
 ORDER BY document_id
   FOR UPDATE;
