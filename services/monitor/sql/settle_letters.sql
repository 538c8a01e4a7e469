-- How replays ended, on the letters they were made of. The first end told is the end;
-- a mended letter stays superseded, and has the end of the job that stands for it. Always in
-- the same order: two who settle some of the same would otherwise wait for each other.
-- $1 replay_ids  $2 outcomes
WITH told AS MATERIALIZED (
        SELECT l.letter_id, t.outcome
          FROM unnest($1::uuid[], $2::text[]) AS t (replay_id, outcome)
          JOIN dead_letters AS l ON l.replay_id = t.replay_id
         WHERE l.state IN ('replaying', 'superseded')
           AND l.outcome IS NULL
         ORDER BY l.letter_id
           FOR UPDATE OF l)
UPDATE dead_letters AS l
   SET version = l.version + 1,
       state = CASE
           WHEN l.state = 'superseded' THEN l.state
           WHEN told.outcome = 'refailed' THEN 'refailed'
           ELSE 'resolved' END,
       outcome = told.outcome,
       settled_at = now()
  FROM told
 WHERE l.letter_id = told.letter_id;
