-- Where the state machine has put a breaker. One that stays open is as old as it was, and keeps
-- the patience with which it was opened.
-- $1 name  $2 state  $3 failures  $4 reason  $5 due_in_s  $6 patience_s
UPDATE breakers
   SET state = $2,
       failures = $3,
       reason = CASE WHEN $2 = 'open' THEN $4 END,
       opened_at = CASE WHEN $2 = 'open' THEN coalesce(opened_at, clock_timestamp()) END,
       patience_s = CASE WHEN opened_at IS NULL THEN $6 ELSE patience_s END,
       due_at = CASE WHEN $2 = 'open'
                     THEN clock_timestamp() + make_interval(secs => $5) END,
       probe = NULL,
       probe_until = NULL
 WHERE name = $1;
