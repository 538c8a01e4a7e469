-- Say something of a group, as one more version of what was seen; 0 is that nobody had spoken.
-- $1 fingerprint  $2 seen  $3 comment  $4 owner  $5 muted_until  $6 changed_by
INSERT INTO failure_groups (fingerprint, comment, owner, muted_until, changed_by)
SELECT $1, $3, $4, $5, $6
 WHERE $2::integer = 0
    OR EXISTS (SELECT 1 FROM failure_groups WHERE fingerprint = $1)
    ON CONFLICT (fingerprint) DO UPDATE
   SET comment = excluded.comment,
       owner = excluded.owner,
       muted_until = excluded.muted_until,
       changed_by = excluded.changed_by,
       changed_at = now(),
       version = failure_groups.version + 1
 WHERE failure_groups.version = $2
RETURNING *;
