-- End a key and write down who did it and why, together. No row when it was dead already.
-- $1 key_id  $2 actor  $3 reason
WITH revoked AS (
    UPDATE access.api_keys
       SET revoked_at = now()
     WHERE key_id = $1
       AND revoked_at IS NULL
 RETURNING key_id),
ended AS (
    UPDATE access.sessions
       SET ended_at = now()
      FROM revoked
     WHERE sessions.key_id = revoked.key_id
       AND ended_at IS NULL)
INSERT INTO access.revocations (key_id, actor, reason)
SELECT key_id, $2, $3
  FROM revoked
RETURNING key_id;
