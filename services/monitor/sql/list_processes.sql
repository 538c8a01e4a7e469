-- Processes that were heard of lately, and for how long each has been silent.
-- $1 silent_s_max
SELECT process_id, service, build, door, queues, started_at, outbox_unsent,
       outbox_oldest_age_s, outbox_parked, conditions, said_at,
       greatest(extract(epoch FROM now() - said_at), 0)::float8 AS silent_s
  FROM processes_seen
 WHERE said_at > now() - make_interval(secs => $1)
 ORDER BY service, started_at, process_id;
