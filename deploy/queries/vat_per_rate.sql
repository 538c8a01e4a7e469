-- How much VAT, at which rate and in which category? From the tax rows of the invoices, month
-- by month and apart by currency.
SELECT date_trunc('month', issue_date)::date AS month,
       currency,
       tax.category,
       tax.rate,
       count(*)                              AS tax_rows,
       sum(tax.base)                         AS base,
       sum(tax.amount)                       AS amount
  FROM (SELECT issue_date, currency, unnest(taxes) AS tax
          FROM read_parquet('data/parquet/*/*/*/*.parquet', union_by_name = true)
         WHERE verdict IS DISTINCT FROM 'rejected')
 GROUP BY month, currency, tax.category, tax.rate
 ORDER BY month, currency, tax.rate DESC;
