-- Write down the next letters of the selection, in the order in which they came. Fewer than
-- asked for means that these were the last. What is selected comes as parameters, the ids as a
-- list of their own: read from the row, it would be taken apart anew for every letter there is.
-- $1 operation_id  $2 states  $3 limit  $4 selector  $5 arrived_before  $6 prepared_at
-- $7 prepared_id  $8 ids
WITH found AS MATERIALIZED (
        SELECT l.letter_id, l.arrived_at
          FROM selected_letters($4::jsonb, $5::timestamptz) AS l
         WHERE l.state = ANY ($2::text[])
           AND ($8::uuid[] IS NULL OR l.letter_id = ANY ($8))
           AND ($6::timestamptz IS NULL OR (l.arrived_at, l.letter_id) > ($6, $7::uuid))
         ORDER BY l.arrived_at, l.letter_id
         LIMIT (SELECT least($3, letters_max - total) FROM operations WHERE operation_id = $1)),
     written AS (
        INSERT INTO operation_items (operation_id, position, letter_id)
        SELECT $1, o.total + row_number() OVER (ORDER BY f.arrived_at, f.letter_id), f.letter_id
          FROM found AS f
         CROSS JOIN operations AS o
         WHERE o.operation_id = $1),
     last AS (
        SELECT letter_id, arrived_at
          FROM found
         ORDER BY arrived_at DESC, letter_id DESC
         LIMIT 1)
UPDATE operations AS o
   SET total = o.total + (SELECT count(*) FROM found),
       prepared_at = coalesce((SELECT arrived_at FROM last), o.prepared_at),
       prepared_id = coalesce((SELECT letter_id FROM last), o.prepared_id),
       prepared = (SELECT count(*) FROM found) < $3,
       state = CASE WHEN (SELECT count(*) FROM found) < $3 THEN 'running' ELSE o.state END,
       started_at = CASE WHEN (SELECT count(*) FROM found) < $3 THEN now() END,
       seq = o.seq + 1,
       stepped_at = clock_timestamp(),
       next_step_at = clock_timestamp(),
       failures = 0,
       error = NULL,
       error_at = NULL
 WHERE o.operation_id = $1
RETURNING *;
