-- Agree on another quota for a key that lives; NULL is no limit.
-- $1 key_id  $2 documents_per_day  $3 bytes_per_day
UPDATE access.api_keys
   SET documents_per_day = $2,
       bytes_per_day = $3
 WHERE key_id = $1
   AND revoked_at IS NULL
RETURNING key_id;
