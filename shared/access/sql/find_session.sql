-- The living session of a token, with the caller its key stands for. The key is asked each
-- time: a revoked key takes its sessions along.
-- $1 token_hash  $2 idle_s
SELECT key_id, owner_id, name, roles, scopes, documents_per_day, bytes_per_day,
       extract(epoch FROM now() - seen_at)::double precision AS idle_s
  FROM access.sessions
  JOIN access.api_keys USING (key_id)
 WHERE token_hash = $1
   AND ended_at IS NULL
   AND ends_at > now()
   AND seen_at > now() - make_interval(secs => $2)
   AND revoked_at IS NULL
   AND (expires_at IS NULL OR expires_at > now());
