-- Letters of deleted documents, whatever their state, and their replays with them.
-- $1 document_ids  $2 spared_types
DELETE FROM dead_letters
 WHERE document_id = ANY ($1::uuid[])
   AND type <> ALL ($2::text[])
RETURNING letter_id;
