-- Close a bucket for a while, for all replicas. It opens empty: the burst that it would have
-- saved up is what the provider complained about.
-- $1 name  $2 for_s
UPDATE token_buckets
   SET tokens = 0,
       held_until = greatest(held_until, clock_timestamp() + make_interval(secs => $2)),
       refilled_at = greatest(
           refilled_at, held_until, clock_timestamp() + make_interval(secs => $2))
 WHERE name = $1;
