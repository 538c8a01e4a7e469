-- Processes that nobody has heard of for long: each deploy leaves some.
-- $1 silent_s_min
DELETE FROM processes_seen
 WHERE said_at < now() - make_interval(secs => $1);
