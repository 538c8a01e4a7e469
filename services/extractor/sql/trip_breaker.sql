-- A quota is used up for the day: nobody asks, and nobody waits, until the provider's midnight.
-- Right after that it may not have noticed yet, and another whole day would be too long.
-- $1 name  $2 reason  $3 zone
UPDATE breakers
   SET state = 'open',
       failures = 0,
       reason = $2,
       opened_at = coalesce(opened_at, clock_timestamp()),
       patience_s = 0,
       due_at = CASE WHEN (clock_timestamp() AT TIME ZONE $3)::time < time '00:15'
                     THEN clock_timestamp() + interval '5 minutes'
                     ELSE (date_trunc('day', clock_timestamp() AT TIME ZONE $3)
                           + interval '1 day') AT TIME ZONE $3
                END,
       probe = NULL,
       probe_until = NULL
 WHERE name = $1;
