-- A new key; what is kept of it opens nothing.
-- $1 key_id  $2 sha256  $3 owner_id  $4 name  $5 roles  $6 scopes  $7 lifetime_s
-- $8 documents_per_day  $9 bytes_per_day
INSERT INTO access.api_keys (key_id, sha256, owner_id, name, roles, scopes, expires_at,
                             documents_per_day, bytes_per_day)
VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7), $8, $9);
