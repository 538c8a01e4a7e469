-- How much is owed, for how long, how much nobody would take, and how many rows that have been
-- sent nobody has cleared away.
SELECT (SELECT count(*) FROM outbox) AS unsent,
       (SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 FROM outbox) AS oldest_age_s,
       (SELECT count(*) FROM outbox_parked) AS parked,
       (SELECT coalesce(max(n_dead_tup), 0) FROM pg_stat_user_tables WHERE relid = 'outbox'::regclass) AS dead;
