-- Every object that a result consists of, in the order of the keys: each version in JSON and
-- Parquet, what the dated paths show, the extractions they were made of, and what people decided.
-- The files by document of a day that was merged and pruned are gone on purpose, and what the
-- bytes of a version are is judged apart. A dated JSON is held against its version's only where
-- nobody kept a digest: on a disk both may be names of one file.
-- $1 root
WITH versions AS (
    SELECT document_id::text AS subject, result_key, extraction_key, has_files,
           table_size, 'version ' || version AS mark
      FROM storage.stored_results),
dated AS (
    SELECT o.document_id::text AS subject, o.json_key, o.parquet_key, o.shown_size,
           o.shown_sha256, 'shows ' || o.shown_version || ' of ' || o.version AS mark,
           s.result_key, s.result_sha256
      FROM storage.outputs o
      LEFT JOIN storage.stored_results s
        ON s.document_id = o.document_id AND s.version = o.shown_version
      LEFT JOIN storage.days d ON d.day = (o.accepted_at AT TIME ZONE 'UTC')::date
     WHERE o.published_at IS NOT NULL
       AND d.pruned_at IS NULL)
SELECT * FROM (
    SELECT extraction_key AS key, NULL::bigint AS size,
           CASE WHEN starts_with(extraction_key, 'sha256/')
                THEN right(extraction_key, 64) END AS sha256,
           subject, mark, 'extraction' AS what, NULL AS same_as
      FROM versions
     UNION ALL
    SELECT result_key, NULL, NULL, subject, mark, 'result', NULL FROM versions WHERE has_files
     UNION ALL
    SELECT regexp_replace(result_key, 'json$', 'parquet'), table_size, NULL,
           subject, mark, 'table', NULL
      FROM versions
     WHERE has_files
     UNION ALL
    SELECT json_key, NULL, result_sha256, subject, mark, 'dated result',
           CASE WHEN result_sha256 IS NULL THEN result_key END
      FROM dated
     WHERE json_key IS NOT NULL
     UNION ALL
    SELECT parquet_key, shown_size, shown_sha256, subject, mark, 'dated table', NULL
      FROM dated
     WHERE parquet_key IS NOT NULL
     UNION ALL
    SELECT extraction_key, NULL,
           CASE WHEN starts_with(extraction_key, 'sha256/')
                THEN right(extraction_key, 64) END,
           document_id::text, 'item ' || version, 'extraction under review',
           NULL
      FROM review.review_items
     WHERE status <> 'withdrawn'
     UNION ALL
    SELECT reviewed_key, NULL, NULL, document_id::text, 'item ' || version, 'decision', NULL
      FROM review.review_items
     WHERE status IN ('approved', 'corrected')
) AS named
 WHERE starts_with(key, $1)
 ORDER BY key COLLATE "C";
