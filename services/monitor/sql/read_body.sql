-- The bytes of a letter, as they arrived.
-- $1 letter_id
SELECT body
  FROM dead_letters
 WHERE letter_id = $1;
