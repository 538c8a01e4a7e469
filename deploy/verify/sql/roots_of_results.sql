-- Below which folders results lie: the templates of dated paths may name any.
SELECT DISTINCT split_part(key, '/', 1) || '/' AS root
  FROM (SELECT result_key AS key FROM storage.stored_results
         UNION ALL
        SELECT extraction_key FROM storage.stored_results
         UNION ALL
        SELECT json_key FROM storage.outputs
         UNION ALL
        SELECT parquet_key FROM storage.outputs
         UNION ALL
        SELECT extraction_key FROM review.review_items
         UNION ALL
        SELECT reviewed_key FROM review.review_items) AS named
 WHERE key IS NOT NULL
 ORDER BY root;
