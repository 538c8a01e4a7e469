-- Jobs that were done by more than one of their replays: an effect was doubled.
-- $1 limit
SELECT job_id::text AS subject, queue || ': done by ' || count(*) || ' replays' AS detail,
       count(*)::text AS mark
  FROM monitor.replays
 WHERE outcome = 'done'
 GROUP BY job_id, queue
HAVING count(*) > 1
 ORDER BY subject
 LIMIT $1;
