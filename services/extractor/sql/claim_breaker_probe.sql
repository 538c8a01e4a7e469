-- The right to the one call that tells whether a provider is back. No row when it is not time
-- yet, or when another has it; his runs out, should he die of it.
-- $1 name  $2 probe  $3 lease_s
UPDATE breakers
   SET state = 'half-open',
       probe = $2,
       probe_until = clock_timestamp() + make_interval(secs => $3)
 WHERE name = $1
   AND (state = 'open' AND due_at <= clock_timestamp()
        OR state = 'half-open' AND probe_until <= clock_timestamp())
RETURNING name;
