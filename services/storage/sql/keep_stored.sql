-- Keep versions, and set what the dated paths are to show: of the versions that have files the
-- last decision over the last reading, which need not be the highest number.
-- Both in one statement, because a version that nobody publishes would never be seen.
-- $1 document_ids  $2 versions  $3 owner_ids  $4 accepted_at  $5 extraction_keys
-- $6 result_keys  $7 has_files  $8 verdicts  $9 readings  $10 review_revisions
-- $11 result_digests  $12 table_sizes  $13 table_digests  $14 issue_dates  $15 sellers
WITH given AS (
    SELECT *
      FROM unnest($1::uuid[], $2::int[], $3::text[], $4::timestamptz[], $5::text[],
                  $6::text[], $7::bool[], $8::text[], $9::int[], $10::int[],
                  $11::text[], $12::int[], $13::text[], $14::date[], $15::text[])
        AS given (document_id, version, owner_id, accepted_at, extraction_key,
                  result_key, has_files, verdict, reading, review_revision,
                  result_sha256, table_size, table_sha256, issue_date, seller)
), kept AS (
    INSERT INTO stored_results (document_id, version, owner_id, accepted_at, extraction_key,
                                result_key, has_files, verdict,
                                result_sha256, table_size, table_sha256, issue_date, seller)
    SELECT document_id, version, owner_id, accepted_at, extraction_key,
           result_key, has_files, verdict,
           result_sha256, table_size, table_sha256, issue_date, seller
      FROM given
        ON CONFLICT (document_id, version) DO NOTHING
)
INSERT INTO outputs AS known (document_id, version, accepted_at, reading, review_revision)
SELECT DISTINCT ON (document_id)
       document_id, version, accepted_at, reading, review_revision
  FROM given
 WHERE has_files
 ORDER BY document_id, reading DESC, review_revision DESC
    ON CONFLICT (document_id) DO UPDATE
   SET version = excluded.version,
       reading = excluded.reading,
       review_revision = excluded.review_revision,
       changed_at = now(),
       published_at = NULL
 WHERE (known.reading, known.review_revision) < (excluded.reading, excluded.review_revision);
