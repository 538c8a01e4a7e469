-- What analysts find under dated paths, and what should lie there. Parquet files of days that were
-- pruned are gone for good.
SELECT o.document_id, o.json_key, s.result_key, o.shown_sha256,
       CASE WHEN d.pruned_at IS NULL THEN o.parquet_key END AS parquet_key
  FROM storage.outputs o
  JOIN storage.stored_results s
    ON s.document_id = o.document_id AND s.version = o.shown_version
  LEFT JOIN storage.days d ON d.day = (o.accepted_at AT TIME ZONE 'UTC')::date
 WHERE o.published_at IS NOT NULL;
