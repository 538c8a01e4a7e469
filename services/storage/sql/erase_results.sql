-- Take back every version of withdrawn documents. Whoever is publishing one holds its row, so
-- this waits for him, and afterwards nobody finds anything to publish. An extraction names its
-- document, so no other document can have the same. Returns what is to be erased with the rows,
-- and says that their days have changed.
-- $1 document_ids
WITH outputs_gone AS (
    DELETE FROM outputs
     WHERE document_id = ANY ($1::uuid[])
    RETURNING accepted_at, json_key, parquet_key),
days_changed AS (
    INSERT INTO day_changes (day, erased)
    SELECT DISTINCT (accepted_at AT TIME ZONE 'UTC')::date, true
      FROM outputs_gone),
numbers_gone AS (
    DELETE FROM version_numbers
     WHERE document_id = ANY ($1::uuid[])),
gone AS (
    DELETE FROM stored_results
     WHERE document_id = ANY ($1::uuid[])
    RETURNING extraction_key)
SELECT extraction_key AS key FROM gone
 UNION
SELECT unnest(array_remove(ARRAY[json_key, parquet_key], NULL)) FROM outputs_gone;
