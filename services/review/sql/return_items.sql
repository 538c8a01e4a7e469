-- Who goes away gives back what they were given and have not begun.
-- $1 reviewer
UPDATE review_items
   SET assigned_to = NULL
 WHERE held_by = $1
   AND assigned_to = $1
   AND status = 'pending'
RETURNING document_id;
