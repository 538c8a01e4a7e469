-- A page of the log for a reader, newest first; null filters take everything.
-- $1 actor  $2 action  $3 resource  $4 before_seq  $5 limit
SELECT seq, at, entry::text AS entry, previous, hash
  FROM audit_log
 WHERE ($1::text IS NULL OR actor = $1)
   AND ($2::text IS NULL OR action = $2)
   AND ($3::text IS NULL OR resource = $3)
   AND ($4::bigint IS NULL OR seq < $4)
 ORDER BY seq DESC
 LIMIT $5;
