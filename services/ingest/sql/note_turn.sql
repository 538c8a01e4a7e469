-- After a release in turn: one more of the others. After the oldest had its turn the count
-- begins anew, and urgent releases that are still owed one stay counted.
-- $1 others  $2 oldest  $3 urgent_owed
UPDATE ageing
   SET others = CASE WHEN $2::boolean THEN $1::integer ELSE others + $1::integer END,
       urgent_turn = CASE WHEN $2::boolean
                          THEN coalesce(pg_sequence_last_value('urgent_turns'::regclass), 0)
                               - $3::bigint
                          ELSE urgent_turn END;
