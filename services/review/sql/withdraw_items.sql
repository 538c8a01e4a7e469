-- Nobody wants these documents: whoever looks at one of them is told so at the next click. In key
-- order, as everybody takes items.
-- $1 document_ids
WITH unwanted AS (
    SELECT document_id
      FROM review_items
     WHERE document_id = ANY($1::uuid[])
       AND status IN ('pending', 'in_review')
     ORDER BY document_id
       FOR UPDATE)
UPDATE review_items item
   SET status = 'withdrawn',
       version = version + 1,
       claimed_by = NULL,
       claimed_until = NULL
  FROM unwanted
 WHERE item.document_id = unwanted.document_id
RETURNING item.document_id;
