-- The letters that an operation was given by name.
-- $1 operation_id  $2 letter_ids
INSERT INTO operation_ids (operation_id, letter_ids)
VALUES ($1, $2);
