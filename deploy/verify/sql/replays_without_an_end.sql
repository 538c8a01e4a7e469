-- Replays whose letter does not wait for them, letters that wait for no replay, and replays of
-- whose end nobody has told for longer than any queue is patient.
-- $1 limit  $2 live_s
SELECT subject, detail, mark
  FROM (SELECT l.letter_id::text AS subject,
               'waits for a replay that has ended, or never was' AS detail,
               l.version::text AS mark
          FROM monitor.dead_letters l
         WHERE l.state = 'replaying'
           AND NOT EXISTS (
                SELECT
                  FROM monitor.replays r
                 WHERE r.replay_id = l.replay_id
                   AND r.state = 'running')
         UNION ALL
        SELECT r.letter_id::text, 'has a replay on its way, and is ' || l.state, r.replay_id::text
          FROM monitor.replays r
          JOIN monitor.dead_letters l USING (letter_id)
         WHERE r.state = 'running'
           AND (l.state NOT IN ('replaying', 'superseded') OR l.replay_id <> r.replay_id)
         UNION ALL
        SELECT r.letter_id::text, 'was sent back ' || r.requested_at || ', and never ended',
               r.replay_id::text
          FROM monitor.replays r
         WHERE r.state = 'running'
           AND r.requested_at <= now() - make_interval(secs => $2)) AS found
 ORDER BY subject, detail
 LIMIT $1;
