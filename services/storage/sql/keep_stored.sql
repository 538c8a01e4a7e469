-- Keep versions, and set what the dated paths are to show: the highest version that has files.
-- Both in one statement, because a version that nobody publishes would never be seen.
-- $1 document_ids  $2 versions  $3 owner_ids  $4 accepted_at  $5 extraction_keys
-- $6 result_keys  $7 has_files  $8 verdicts
WITH given AS (
    SELECT *
      FROM unnest($1::uuid[], $2::int[], $3::text[], $4::timestamptz[], $5::text[],
                  $6::text[], $7::bool[], $8::text[])
        AS given (document_id, version, owner_id, accepted_at, extraction_key,
                  result_key, has_files, verdict)
), kept AS (
    INSERT INTO stored_results (document_id, version, owner_id, accepted_at, extraction_key,
                                result_key, has_files, verdict)
    SELECT document_id, version, owner_id, accepted_at, extraction_key,
           result_key, has_files, verdict
      FROM given
        ON CONFLICT (document_id, version) DO NOTHING
)
INSERT INTO outputs AS known (document_id, version, accepted_at)
SELECT document_id, max(version), min(accepted_at)
  FROM given
 WHERE has_files
 GROUP BY document_id
 ORDER BY document_id
    ON CONFLICT (document_id) DO UPDATE
   SET version = excluded.version,
       changed_at = now(),
       published_at = NULL
 WHERE known.version < excluded.version;
