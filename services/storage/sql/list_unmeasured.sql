-- What was published before its file was measured.
-- $1 limit
SELECT document_id, shown_version AS version
  FROM outputs
 WHERE shown_version IS NOT NULL
   AND shown_sha256 IS NULL
 LIMIT $1;
