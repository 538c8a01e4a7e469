-- The compacted file of a day holds what it showed at this revision; without rows, there is
-- none any more.
-- $1 day  $2 revision  $3 size  $4 sha256  $5 rows
UPDATE days
   SET compacted_revision = $2,
       compacted_size = $3,
       compacted_sha256 = $4,
       compacted_rows = $5::bigint,
       compacted_at = CASE WHEN $5::bigint > 0 THEN now() END,
       failed_at = NULL,
       erased = false
 WHERE day = $1;
