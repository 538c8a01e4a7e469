-- Another state, rate or limit, as one more version. Time that it stood still earns no
-- credit, and what failed before is not counted against it.
-- $1 operation_id  $2 state  $3 rate_per_s  $4 in_flight_max  $5 canary  $6 paused_because
UPDATE operations
   SET state = $2,
       rate_per_s = $3,
       in_flight_max = $4,
       canary = $5,
       paused_because = $6,
       version = version + 1,
       seq = seq + 1,
       credit = 1,
       stepped_at = now(),
       next_step_at = now(),
       failures = 0,
       ended_at = CASE WHEN $2 = 'cancelled' THEN now() END
 WHERE operation_id = $1
RETURNING *;
