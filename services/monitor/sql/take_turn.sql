-- The moving operation that has been due for longest, in the hands of this transaction only.
-- What its rate allows is at most one second's worth, or a pause would be followed by a flood.
-- It is reckoned to the beginning of the transaction, as the end of the step notes it: the time
-- that a step takes counts for the next.
SELECT *,
       least(credit + rate_per_s * greatest(extract(epoch FROM now() - stepped_at)::float8, 0),
             greatest(rate_per_s, 1)) AS allowance
  FROM operations
 WHERE state IN ('preparing', 'running')
   AND next_step_at <= clock_timestamp()
 ORDER BY next_step_at
 LIMIT 1
   FOR UPDATE SKIP LOCKED;
