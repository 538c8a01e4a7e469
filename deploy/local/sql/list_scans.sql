-- What lies under a digest and is known to somebody, wherever it is named.
SELECT content_key AS key FROM ingest.documents
UNION
SELECT extraction_key FROM storage.stored_results
UNION
SELECT extraction_key FROM extractor.processed_documents;
