-- Sign out. No row when the session was over already.
-- $1 token_hash
UPDATE access.sessions
   SET ended_at = now()
 WHERE token_hash = $1
   AND ended_at IS NULL
   AND ends_at > now()
RETURNING key_id;
