-- What people have said of these contents.
-- $1 owner_ids  $2 sha256s
SELECT owner_id, sha256, path, value, raw, confidence, status, source, evidence, locked_by
  FROM field_locks
  JOIN unnest($1::text[], $2::text[]) AS content (owner_id, sha256) USING (owner_id, sha256)
 ORDER BY owner_id, sha256, path;
