-- How replays ended. The first end told is the end: a fact may come twice. In one order, as
-- the letters before them.
-- $1 replay_ids  $2 outcomes
WITH told AS MATERIALIZED (
        SELECT r.replay_id, t.outcome
          FROM unnest($1::uuid[], $2::text[]) AS t (replay_id, outcome)
          JOIN replays AS r ON r.replay_id = t.replay_id
         WHERE r.state = 'running'
         ORDER BY r.letter_id, r.replay_id
           FOR UPDATE OF r)
UPDATE replays AS r
   SET state = 'settled',
       outcome = told.outcome,
       settled_at = now()
  FROM told
 WHERE r.replay_id = told.replay_id
RETURNING r.*;
