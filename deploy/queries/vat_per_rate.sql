-- How much VAT, at which rate and in which category? From the tax rows of the invoices, month
-- by month and apart by currency; what credit notes give back is taken off.
SELECT date_trunc('month', issue_date)::date AS month,
       currency,
       tax.category,
       tax.rate,
       count(*)                              AS tax_rows,
       sum(direction * tax.base)             AS base,
       sum(direction * tax.amount)           AS amount
  FROM (SELECT issue_date, currency, direction, unnest(taxes) AS tax
          FROM invoices
         WHERE verdict IS DISTINCT FROM 'rejected'
           AND direction <> 0)
 GROUP BY month, currency, tax.category, tax.rate
 ORDER BY month, currency, tax.rate DESC;
