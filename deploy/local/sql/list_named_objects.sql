-- Every object that a row promises to be there: what clients handed in and what is stored of it.
-- Readings that are only kept to be found again are made anew when they are missing.
SELECT content_key AS key, 'document ' || document_id AS whose
  FROM ingest.documents
 WHERE content_key <> '' AND status <> 'deleted'
UNION ALL
SELECT result_key, 'result of ' || document_id || ', version ' || version
  FROM storage.stored_results
UNION ALL
SELECT extraction_key, 'reading of ' || document_id || ', version ' || version
  FROM storage.stored_results
UNION ALL
SELECT reviewed_key, 'decision on ' || document_id
  FROM review.review_items
 WHERE reviewed_key IS NOT NULL
 ORDER BY key;
