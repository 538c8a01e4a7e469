-- The lines behind a place in the chain, with the very text that was hashed.
-- $1 after_seq  $2 limit
SELECT seq, at, entry::text AS entry, previous, hash
  FROM audit_log
 WHERE seq > $1
 ORDER BY seq
 LIMIT $2;
