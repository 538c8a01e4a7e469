-- How replays ended, on the letters they were made of. The first end told is the end.
-- $1 replay_ids  $2 outcomes
UPDATE dead_letters
   SET version = version + 1,
       state = CASE told.outcome WHEN 'refailed' THEN 'refailed' ELSE 'resolved' END,
       outcome = told.outcome,
       settled_at = now()
  FROM unnest($1::uuid[], $2::text[]) AS told (replay_id, outcome)
 WHERE dead_letters.replay_id = told.replay_id
   AND dead_letters.state = 'replaying';
