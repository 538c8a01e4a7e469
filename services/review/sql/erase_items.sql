-- The items of deleted documents go with all their values; only the audit log remembers them. In
-- key order, as everybody takes items.
-- $1 document_ids
WITH deleted AS (
    SELECT document_id
      FROM review_items
     WHERE document_id = ANY($1::uuid[])
     ORDER BY document_id
       FOR UPDATE)
DELETE FROM review_items item
 USING deleted
 WHERE item.document_id = deleted.document_id
RETURNING item.document_id;
