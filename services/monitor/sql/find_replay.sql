-- One replay, running or settled.
-- $1 replay_id
SELECT *
  FROM replays
 WHERE replay_id = $1;
