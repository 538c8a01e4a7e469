-- How much is owed, for how long, and how much nobody would take.
SELECT (SELECT count(*) FROM outbox) AS unsent,
       (SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 FROM outbox) AS oldest_age_s,
       (SELECT count(*) FROM outbox_parked) AS parked;
