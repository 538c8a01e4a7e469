-- Which of these versions are committed: their files are named by a row and must not change.
-- $1 document_ids  $2 versions
SELECT document_id, version
  FROM stored_results
  JOIN unnest($1::uuid[], $2::int[]) AS given (document_id, version)
 USING (document_id, version);
