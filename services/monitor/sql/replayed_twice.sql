-- Jobs that were done by more than one of their replays: an effect was doubled.
-- $1 since  $2 until  $3 limit
SELECT r.job_id::text AS subject, r.queue || ': ' || count(*) || ' times' AS detail,
       count(*) OVER () AS total
  FROM replays AS r
 WHERE r.requested_at >= $1
   AND r.requested_at < $2
   AND r.outcome = 'done'
 GROUP BY r.job_id, r.queue
HAVING count(*) > 1
 ORDER BY subject
 LIMIT $3;
