-- What was used today, which may be nothing, and how long today lasts.
-- $1 name
SELECT coalesce(max(documents), 0)::bigint AS documents,
       coalesce(max(bytes), 0)::bigint AS bytes,
       extract(epoch FROM ((now() AT TIME ZONE 'UTC')::date + 1)::timestamp AT TIME ZONE 'UTC'
                          - now())::double precision AS ends_in_s
  FROM day_usage
 WHERE name = $1
   AND day = (now() AT TIME ZONE 'UTC')::date;
