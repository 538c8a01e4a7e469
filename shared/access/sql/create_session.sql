-- Begin a session; it ends at the latest after its absolute time, whatever happens.
-- $1 token_hash  $2 key_id  $3 absolute_s
INSERT INTO access.sessions (token_hash, key_id, ends_at)
VALUES ($1, $2, now() + make_interval(secs => $3));
