-- One of the files that a day shows cannot be read, so it has no compacted file at this
-- revision: an old one would keep what was erased. Tried again when it changes, or tomorrow.
-- $1 day  $2 revision
UPDATE days
   SET compacted_revision = $2,
       compacted_size = 0,
       compacted_sha256 = '',
       compacted_rows = 0,
       compacted_at = NULL,
       failed_at = now(),
       erased = false
 WHERE day = $1;
