-- Invoices of the same seller with the same number, or the same total.
-- $1 owner_id  $2 seller_keys  $3 alike_key  $4 total  $5 document_id  $6 limit
SELECT DISTINCT
       keys.document_id, item.filename, item.status, keys.number_key, keys.invoice_number,
       keys.year, keys.issue_date, keys.total, keys.currency
  FROM invoice_keys keys
  JOIN review_items item USING (document_id)
 WHERE keys.owner_id = $1
   AND keys.seller_key = ANY($2::text[])
   AND (keys.alike_key = $3 OR keys.total = $4)
   AND keys.document_id <> $5
   AND item.status <> 'withdrawn'
 ORDER BY keys.document_id DESC
 LIMIT $6;
