-- The moving operation that waited longest, in the hands of this transaction only. What its
-- rate allows is at most one second's worth, or a pause would be followed by a flood.
SELECT *,
       least(credit + rate_per_s * extract(epoch FROM clock_timestamp() - stepped_at)::float8,
             greatest(rate_per_s, 1)) AS allowance
  FROM operations
 WHERE state IN ('preparing', 'running')
 ORDER BY stepped_at
 LIMIT 1
   FOR UPDATE SKIP LOCKED;
