-- Which invoices are there? The view `invoices`, which every other query here asks: one row for
-- each document, in its current version. By the manifests, which name each document in one file:
-- days that were merged, days that were not, and those whose files by document were pruned.
-- `direction` is 1 for what is asked for, -1 for what a credit note gives back (its amounts are
-- positive too), 0 for what is no invoice: an offer, a reminder.
-- DuckDB, in the folder of the object store:
--     cat deploy/queries/invoices.sql deploy/queries/vat_per_rate.sql | duckdb
-- Elsewhere (a path, s3://bucket/prefix/) with `SET VARIABLE store = '…/';` before it.
SET VARIABLE store = coalesce(getvariable('store'), '');

SET VARIABLE files = (
    SELECT list(getvariable('store') || file)
      FROM (SELECT unnest(files) AS file
              FROM read_json(getvariable('store') || 'data/manifests/*/*/*.json',
                             columns = {files: 'VARCHAR[]'}, maximum_object_size = 268435456)));

CREATE OR REPLACE TEMP VIEW invoices AS
SELECT *,
       CASE WHEN lower(document_type) = 'credit_note' THEN -1
            WHEN lower(document_type) IN ('proforma', 'reminder', 'other') THEN 0
            ELSE 1 END AS direction
  FROM read_parquet(getvariable('files'), union_by_name = true);
