-- Which of these versions are committed: their files are named by a row and must not change.
-- The files of the others are about to be written, so what was seen of them without a row is
-- no stray any more; whoever is erasing such files holds their rows here, and is waited for.
-- $1 document_ids  $2 versions
WITH written AS (
    DELETE FROM strays
     WHERE document_id = ANY ($1::uuid[])
)
SELECT document_id, version
  FROM stored_results
  JOIN unnest($1::uuid[], $2::int[]) AS given (document_id, version)
 USING (document_id, version);
