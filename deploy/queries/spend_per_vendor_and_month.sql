-- What was spent with whom, month by month? By the date of the invoice, apart by currency; credit
-- notes are taken off. What nobody has approved yet is told beside it, and what was rejected
-- counts nowhere.
SELECT coalesce(seller_vat_id, seller_name)                        AS vendor_key,
       any_value(seller_name)                                      AS vendor,
       date_trunc('month', issue_date)::date                       AS month,
       currency,
       count(*)                                                    AS invoices,
       sum(direction * total)                                      AS total,
       sum(direction * total) FILTER (WHERE verdict IN ('approved', 'corrected')) AS approved
  FROM invoices
 WHERE verdict IS DISTINCT FROM 'rejected'
   AND direction <> 0
   AND total IS NOT NULL
 GROUP BY vendor_key, month, currency
 ORDER BY month, total DESC;
