-- What may be shown of the keys of one owner, or of all.
-- $1 owner_id
SELECT key_id, owner_id, name, roles, scopes, documents_per_day, bytes_per_day, created_at,
       expires_at, revoked_at
  FROM access.api_keys
 WHERE $1::text IS NULL OR owner_id = $1
 ORDER BY created_at DESC, key_id;
