-- Nobody wants these documents: whoever looks at one of them is told so at the next click.
-- $1 document_ids
UPDATE review_items
   SET status = 'withdrawn',
       version = version + 1,
       claimed_by = NULL,
       claimed_until = NULL
 WHERE document_id = ANY($1::uuid[])
   AND status IN ('pending', 'in_review')
RETURNING document_id;
