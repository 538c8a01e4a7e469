-- Sign one owner out everywhere.
-- $1 owner_id
UPDATE access.sessions
   SET ended_at = now()
 WHERE ended_at IS NULL
   AND (owner_id = $1
        OR key_id IN (SELECT key_id FROM access.api_keys WHERE owner_id = $1))
RETURNING token_hash;
