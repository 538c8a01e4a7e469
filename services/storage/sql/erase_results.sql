-- Take back every version of withdrawn documents. Whoever is publishing one holds its row, so
-- this waits for him, and afterwards nobody finds anything to publish. An extraction names its
-- document, so no other document can have the same.
-- $1 document_ids
WITH outputs_gone AS (
    DELETE FROM outputs
     WHERE document_id = ANY ($1::uuid[])),
numbers_gone AS (
    DELETE FROM version_numbers
     WHERE document_id = ANY ($1::uuid[]))
DELETE FROM stored_results
 WHERE document_id = ANY ($1::uuid[])
RETURNING extraction_key;
