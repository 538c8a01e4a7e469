-- How replays ended. The first end told is the end: a fact may come twice.
-- $1 replay_ids  $2 outcomes
UPDATE replays
   SET state = 'settled',
       outcome = told.outcome,
       settled_at = now()
  FROM unnest($1::uuid[], $2::text[]) AS told (replay_id, outcome)
 WHERE replays.replay_id = told.replay_id
   AND replays.state = 'running'
RETURNING replays.*;
