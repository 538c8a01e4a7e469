-- The end of a step: what the rate allowed is spent, the first letters alone are a reason to
-- pause, and with the last one settled the operation has ended. A step in which nothing moved
-- is no news for whoever watches.
-- $1 operation_id  $2 allowance  $3 spent
UPDATE operations
   SET credit = $2::float8 - $3::integer,
       stepped_at = clock_timestamp(),
       seq = seq + CASE
           WHEN $3 > 0
                OR sent + skipped + applied >= total
                   AND sent = done + already_applied + withdrawn + refailed THEN 1 ELSE 0 END,
       state = CASE
           WHEN sent + skipped + applied < total
           THEN CASE WHEN canary > 0 AND sent + skipped >= canary THEN 'paused' ELSE state END
           WHEN sent = done + already_applied + withdrawn + refailed THEN 'completed'
           ELSE state END,
       paused_because = CASE
           WHEN sent + skipped + applied < total AND canary > 0 AND sent + skipped >= canary
           THEN 'canary' END,
       ended_at = CASE
           WHEN sent + skipped + applied >= total
                AND sent = done + already_applied + withdrawn + refailed THEN now() END
 WHERE operation_id = $1
   AND state = 'running';
