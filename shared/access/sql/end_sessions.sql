-- Sign one owner out everywhere.
-- $1 owner_id
UPDATE access.sessions
   SET ended_at = now()
  FROM access.api_keys
 WHERE api_keys.key_id = sessions.key_id
   AND owner_id = $1
   AND ended_at IS NULL
RETURNING sessions.key_id;
