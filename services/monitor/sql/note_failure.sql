-- A step came to nothing: the next waits twice as long, up to five minutes, and after so many in
-- a row a person has to look. An operation that stands still meanwhile stays as it is.
-- $1 operation_id  $2 error  $3 failures_max
UPDATE operations
   SET failures = failures + 1,
       error = $2,
       error_at = clock_timestamp(),
       stepped_at = clock_timestamp(),
       next_step_at = clock_timestamp() + make_interval(secs => least(2.0 ^ failures, 300)),
       seq = seq + 1,
       version = version + CASE WHEN failures + 1 >= $3::integer THEN 1 ELSE 0 END,
       state = CASE WHEN failures + 1 >= $3 THEN 'paused' ELSE state END,
       paused_because = CASE WHEN failures + 1 >= $3 THEN 'failing' END
 WHERE operation_id = $1
   AND state IN ('preparing', 'running')
RETURNING *;
