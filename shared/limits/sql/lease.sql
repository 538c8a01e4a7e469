-- Take tokens out of a bucket, after giving back those that were leased and not used. What is
-- needed is given whole or not at all, and then the answer says how long to wait. The moment
-- is read behind the row lock: whoever waited for it must not refill from an older time.
-- $1 name  $2 needed  $3 wanted  $4 returned
WITH bucket AS (
    SELECT name, tokens, refilled_at, rate, capacity, held_until
      FROM token_buckets
     WHERE name = $1
       FOR UPDATE),
moment AS (
    SELECT bucket.*, clock_timestamp() AS at
      FROM bucket),
filled AS (
    SELECT moment.*,
           greatest(at, refilled_at) AS filled_at,
           greatest(extract(epoch FROM held_until - at)::double precision, 0) AS held_s,
           least(capacity,
                 tokens + $4::integer
                 + rate * greatest(extract(epoch FROM at - refilled_at)::double precision, 0)
                ) AS available
      FROM moment),
share AS (
    SELECT filled.*,
           CASE WHEN held_s > 0 OR floor(available) < $2::integer THEN 0
                ELSE least(floor(available), $3::integer) END AS granted
      FROM filled)
UPDATE token_buckets
   SET tokens = share.available - share.granted,
       refilled_at = share.filled_at
  FROM share
 WHERE token_buckets.name = share.name
RETURNING share.granted::integer AS granted,
          CASE WHEN share.granted > 0 THEN 0
               ELSE greatest(share.held_s, ($2::integer - share.available) / share.rate)
               END AS wait_s,
          floor(share.available - share.granted)::integer AS remaining;
