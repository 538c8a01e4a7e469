-- How each breaker stands, why and since when, and how much of each rate is left, for whoever
-- watches.
SELECT 'breaker.' || name AS name,
       state || CASE WHEN state = 'closed' THEN '' ELSE coalesce(': ' || reason, '')
           || coalesce(' since ' || to_char(
               opened_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '') END AS told
  FROM breakers
 UNION ALL
SELECT 'rate.' || name,
       CASE WHEN held_until > now() THEN 'held until ' || to_char(
                held_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
            ELSE floor(least(capacity, tokens + rate * extract(
                epoch FROM clock_timestamp() - refilled_at)))::text
                || ' of ' || capacity || ' left, ' || rate || ' a second' END
  FROM token_buckets
 ORDER BY name;
