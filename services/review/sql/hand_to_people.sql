-- It was to be approved without a person, and cannot be. Once.
-- $1 document_id  $2 version
UPDATE review_items
   SET automatic = false,
       gates = gates || '[{"gate": "blocked"}]'
 WHERE document_id = $1
   AND version = $2
   AND automatic
RETURNING document_id;
