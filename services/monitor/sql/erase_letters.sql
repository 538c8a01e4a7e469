-- Letters of deleted documents, whatever their state, and their replays with them. In the order
-- in which whoever settles them takes them.
-- $1 document_ids  $2 spared_types
WITH held AS MATERIALIZED (
        SELECT letter_id
          FROM dead_letters
         WHERE document_id = ANY ($1::uuid[])
           AND type <> ALL ($2::text[])
         ORDER BY letter_id
           FOR UPDATE)
DELETE FROM dead_letters AS l
 USING held
 WHERE l.letter_id = held.letter_id
RETURNING l.letter_id;
