-- How a breaker stands. In seconds and not in moments: hosts disagree about those.
-- $1 name
SELECT state,
       failures,
       reason,
       coalesce(greatest(extract(epoch FROM
           coalesce(probe_until, due_at) - clock_timestamp()), 0), 0)::float8 AS due_in_s,
       coalesce(greatest(extract(epoch FROM
           opened_at + make_interval(secs => patience_s) - clock_timestamp()), 0), 0)::float8
           AS patience_left_s
  FROM breakers
 WHERE name = $1;
