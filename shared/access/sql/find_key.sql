-- A key by the part of it that is no secret. Dead keys are found too: the caller compares
-- first and judges then, so that timing does not tell a dead key from a wrong one.
-- $1 key_id
SELECT key_id, sha256, owner_id, name, roles, scopes, documents_per_day, bytes_per_day,
       revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AS is_alive
  FROM access.api_keys
 WHERE key_id = $1;
