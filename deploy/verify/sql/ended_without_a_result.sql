-- Documents that succeeded without the row that says with what: of a completed one it has files,
-- of a duplicate not.
-- $1 limit
SELECT d.document_id::text AS subject,
       d.status || ' with version ' || d.result_version || ', which '
           || CASE WHEN s.document_id IS NULL THEN 'was never kept'
                   WHEN s.has_files THEN 'has files' ELSE 'has no files' END AS detail,
       d.revision::text AS mark
  FROM ingest.documents d
  LEFT JOIN storage.stored_results s
    ON s.document_id = d.document_id AND s.version = d.result_version
 WHERE d.status IN ('completed', 'duplicate')
   AND (s.document_id IS NULL
        -- What a person decided of a duplicate has files too.
        OR d.status = 'completed' AND NOT s.has_files
        OR d.status = 'duplicate' AND s.has_files AND s.verdict IS NULL)
 ORDER BY subject
 LIMIT $1;
