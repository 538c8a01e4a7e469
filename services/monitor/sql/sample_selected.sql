-- A few letters of a selection, the latest, for a person to look at before the rest follows.
-- $1 selector  $2 arrived_before  $3 states  $4 limit  $5 ids
SELECT *
  FROM selected_letters($1::jsonb, $2::timestamptz) AS l
 WHERE l.state = ANY ($3::text[])
   AND ($5::uuid[] IS NULL OR l.letter_id = ANY ($5))
 ORDER BY l.arrived_at DESC, l.letter_id DESC
 LIMIT $4;
