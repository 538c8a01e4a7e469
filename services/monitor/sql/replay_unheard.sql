-- Replays of whose end nobody has told for longer than any queue is patient, and whose queue
-- is not paused.
-- $1 since  $2 until  $3 limit
SELECT r.letter_id::text AS subject, r.queue || ': sent ' || r.requested_at AS detail,
       count(*) OVER () AS total
  FROM replays AS r
 WHERE r.state = 'running'
   AND r.requested_at >= $1
   AND r.requested_at < least($2, now() - interval '49 hours')
   AND NOT EXISTS (
        SELECT 1
          FROM queue_pauses AS q
         WHERE q.queue = r.queue
           AND q.paused
           AND (q.ends_at IS NULL OR q.ends_at > now()))
 ORDER BY r.requested_at, subject
 LIMIT $3;
