-- The living session of a token, with the caller it stands for. A key is asked each time: a
-- revoked key takes its sessions along. So does a provider who is not believed any more.
-- $1 token_hash  $2 idle_s  $3 issuer
SELECT key_id, person_id, words, roles, scopes, documents_per_day, bytes_per_day,
       coalesce(keys.owner_id, sessions.owner_id) AS owner_id,
       coalesce(keys.name, sessions.name) AS name,
       extract(epoch FROM now() - seen_at)::double precision AS idle_s
  FROM access.sessions
  LEFT JOIN access.api_keys AS keys USING (key_id)
 WHERE token_hash = $1
   AND ended_at IS NULL
   AND ends_at > now()
   AND seen_at > now() - make_interval(secs => $2)
   AND (issuer = $3
        OR (key_id IS NOT NULL
            AND revoked_at IS NULL
            AND (expires_at IS NULL OR expires_at > now())));
