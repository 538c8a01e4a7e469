-- The end of a step: what the rate allowed is spent, the first letters alone are a reason to
-- pause, and with the last one settled the operation has ended. A step in which nothing moved
-- is no news for whoever watches. What waits for its replays is due when one of them ends, and
-- a while later in any case.
-- $1 operation_id  $2 allowance  $3 spent
UPDATE operations
   SET credit = $2::float8 - $3::integer,
       -- Somebody else may have begun after us and ended before.
       stepped_at = greatest(stepped_at, now()),
       next_step_at = clock_timestamp() + CASE
           WHEN kind <> 'replay' THEN interval '0'
           WHEN sent + skipped >= total
                OR sent - done - already_applied - withdrawn - refailed >= in_flight_max
           THEN interval '5 seconds'
           WHEN $2 - $3 >= 1 THEN interval '0'
           ELSE make_interval(secs => greatest(0.05, (1 - ($2 - $3)) / rate_per_s)) END,
       failures = 0,
       error = NULL,
       error_at = NULL,
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
   AND state = 'running'
RETURNING *;
