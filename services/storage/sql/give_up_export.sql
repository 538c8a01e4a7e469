-- A run failed: the export waits for its next one, or has failed for good.
-- $1 export_id  $2 run  $3 failure  $4 failures_max  $5 after_s
UPDATE exports
   SET status = CASE WHEN failures + 1 >= $4 THEN 'failed' ELSE 'waiting' END,
       failures = failures + 1,
       failure = $3,
       ended_at = CASE WHEN failures + 1 >= $4 THEN now() END,
       claimed_until = CASE WHEN failures + 1 >= $4 THEN NULL
                            ELSE now() + make_interval(secs => $5) END
 WHERE export_id = $1
   AND run = $2
   AND status = 'running';
