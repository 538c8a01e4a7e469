-- Dead letters that wait for the end of a replay which has ended, or never was.
-- $1 since  $2 until  $3 limit
SELECT l.letter_id::text AS subject, l.origin_queue || ': ' || l.reason AS detail,
       count(*) OVER () AS total
  FROM dead_letters AS l
 WHERE l.arrived_at >= $1
   AND l.arrived_at < $2
   AND l.state = 'replaying'
   AND NOT EXISTS (
        SELECT 1
          FROM replays AS r
         WHERE r.replay_id = l.replay_id
           AND r.state = 'running')
 ORDER BY l.arrived_at, subject
 LIMIT $3;
