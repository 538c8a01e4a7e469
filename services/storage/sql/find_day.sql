-- What is known of a day, and whether something has changed since its changes were folded.
-- $1 day
SELECT d.day, d.revision, d.documents, d.manifest_revision, d.manifest_compacted,
       d.compacted_revision, d.compacted_size, d.compacted_sha256, d.compacted_rows,
       EXISTS (SELECT FROM day_changes c WHERE c.day = d.day) AS is_changing
  FROM days d
 WHERE d.day = $1;
