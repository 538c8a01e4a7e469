-- Make a bucket, full, or give an existing one the rate and capacity of today's settings. Its
-- tokens stay: a restart must not refill the budget of a provider.
-- $1 name  $2 rate  $3 capacity
INSERT INTO token_buckets AS bucket (name, tokens, refilled_at, rate, capacity)
VALUES ($1, $3::double precision, clock_timestamp(), $2, $3)
ON CONFLICT (name) DO UPDATE
   SET rate = excluded.rate,
       capacity = excluded.capacity
 WHERE (bucket.rate, bucket.capacity) IS DISTINCT FROM (excluded.rate, excluded.capacity);
