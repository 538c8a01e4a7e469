-- Forget sessions that nobody will ask about again.
-- $1 after_s
DELETE FROM access.sessions
 WHERE least(ended_at, ends_at) < now() - make_interval(secs => $1)
RETURNING token_hash;
