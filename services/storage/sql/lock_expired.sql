-- Ended exports whose files are to go. A run that was cut off may still write until its lease
-- ends, so it is waited for.
-- $1 limit
SELECT export_id
  FROM exports
 WHERE cleared_at IS NULL
   AND ended_at IS NOT NULL
   AND (status <> 'completed' OR expires_at < now())
   AND (claimed_until IS NULL OR claimed_until < now())
 ORDER BY ended_at
 LIMIT $1
   FOR UPDATE SKIP LOCKED;
