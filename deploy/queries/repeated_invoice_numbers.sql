-- Which invoices may we have twice? One seller, one number (without spaces, dashes, zeros in
-- front and case), more than one document; the dates and totals tell what it is.
SELECT coalesce(seller_vat_id, upper(seller_name))                 AS vendor,
       ltrim(regexp_replace(upper(invoice_number), '[^A-Z0-9]', '', 'g'), '0') AS number,
       count(*)                                                    AS documents,
       list_sort(list(DISTINCT issue_date))                        AS issued,
       list_sort(list(DISTINCT total))                             AS totals,
       list_sort(list(document_id))                                AS document_ids
  FROM invoices
 WHERE invoice_number IS NOT NULL
   AND verdict IS DISTINCT FROM 'rejected'
   AND direction <> 0
 GROUP BY 1, 2
HAVING count(*) > 1
 ORDER BY documents DESC, vendor;
