-- The probe told nothing: after a while somebody else may make the next. Nothing happens when it
-- is not ours any more.
-- $1 name  $2 probe  $3 due_in_s
UPDATE breakers
   SET state = 'open',
       due_at = clock_timestamp() + make_interval(secs => $3),
       probe = NULL,
       probe_until = NULL
 WHERE name = $1
   AND probe = $2;
