-- Who goes away gives back what they were given and have not begun. In key order, as everybody
-- takes items.
-- $1 reviewer
WITH theirs AS (
    SELECT document_id
      FROM review_items
     WHERE held_by = $1
       AND assigned_to = $1
       AND status = 'pending'
     ORDER BY document_id
       FOR UPDATE)
UPDATE review_items item
   SET assigned_to = NULL
  FROM theirs
 WHERE item.document_id = theirs.document_id
RETURNING item.document_id;
