-- What was spent with whom, month by month? By the date of the invoice, apart by currency;
-- what nobody has approved yet is told beside it, and what was rejected counts nowhere.
-- DuckDB, in the folder of the object store: duckdb < deploy/queries/<this file>
SELECT coalesce(seller_vat_id, seller_name)                        AS vendor_key,
       any_value(seller_name)                                      AS vendor,
       date_trunc('month', issue_date)::date                       AS month,
       currency,
       count(*)                                                    AS invoices,
       sum(total)                                                  AS total,
       sum(total) FILTER (WHERE verdict IN ('approved', 'corrected')) AS approved
  FROM read_parquet('data/parquet/*/*/*/*.parquet', union_by_name = true)
 WHERE verdict IS DISTINCT FROM 'rejected'
   AND total IS NOT NULL
 GROUP BY vendor_key, month, currency
 ORDER BY month, total DESC;
