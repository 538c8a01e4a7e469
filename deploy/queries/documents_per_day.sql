-- What is there, day by day, and does it add up? By the manifests, which name each document in
-- one file: days that were merged, days that were not, and those whose files by document were
-- pruned. The other queries read the same `FROM invoices` behind the first two statements.
-- DuckDB, in the folder of the object store: duckdb < deploy/queries/<this file>
SET VARIABLE files = (
    SELECT list(file)
      FROM (SELECT unnest(files) AS file
              FROM read_json('data/manifests/*/*/*.json', columns = {files: 'VARCHAR[]'},
                             maximum_object_size = 268435456)));

CREATE OR REPLACE TEMP VIEW invoices AS
SELECT * FROM read_parquet(getvariable('files'), union_by_name = true);

SELECT (accepted_at AT TIME ZONE 'UTC')::date AS day,
       currency,
       count(*)                    AS documents,
       count(DISTINCT document_id) AS different,
       sum(total)                  AS total
  FROM invoices
 GROUP BY day, currency
 ORDER BY day, currency;
