-- An active operation that has one of these letters still before it, or will have it once its
-- selection is written down.
-- $1 selector  $2 arrived_before  $3 states  $4 ids
SELECT o.operation_id
  FROM operations AS o
  LEFT JOIN operation_ids AS i USING (operation_id)
 WHERE o.state IN ('preparing', 'running', 'paused')
   AND EXISTS (
        SELECT 1
          FROM selected_letters($1::jsonb, $2::timestamptz) AS l
         WHERE l.state = ANY ($3::text[])
           AND ($4::uuid[] IS NULL OR l.letter_id = ANY ($4))
           AND (EXISTS (
                    SELECT 1
                      FROM operation_items AS w
                     WHERE w.operation_id = o.operation_id
                       AND w.letter_id = l.letter_id
                       AND w.outcome = 'waiting')
                OR (NOT o.prepared AND EXISTS (
                    SELECT 1
                      FROM selected_letters(o.selector - 'ids', o.arrived_before) AS m
                     WHERE m.letter_id = l.letter_id
                       AND (i.letter_ids IS NULL OR m.letter_id = ANY (i.letter_ids))))))
 ORDER BY o.requested_at
 LIMIT 1;
