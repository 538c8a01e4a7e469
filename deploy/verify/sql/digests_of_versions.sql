-- What each file of a version was when it was kept. Versions of before the digest of their JSON
-- was kept have none of it, and nobody can be asked.
SELECT document_id::text AS subject, 'version ' || version AS mark, key, sha256
  FROM storage.stored_results,
       LATERAL (VALUES (result_key, result_sha256),
                       (regexp_replace(result_key, 'json$', 'parquet'), table_sha256))
               AS file (key, sha256)
 WHERE has_files
   AND sha256 IS NOT NULL
 ORDER BY document_id, version;
