-- Of paths that are no more.
-- $1 owner_id  $2 sha256  $3 paths
DELETE FROM field_locks
 WHERE owner_id = $1
   AND sha256 = $2
   AND path = ANY($3::text[]);
