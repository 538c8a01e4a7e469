-- Invoices of the same seller with the same number, or the same total. Those of the same number
-- first: what costs the same each month would else push one of them out of the list. What was
-- split is none any more, its parts are.
-- $1 owner_id  $2 seller_keys  $3 alike_key  $4 total  $5 document_id  $6 limit
SELECT keys.document_id, item.filename, item.status, item.sha256, item.accepted_at,
       (SELECT array_agg(every.seller_key ORDER BY every.seller_key)
          FROM invoice_keys every
         WHERE every.document_id = keys.document_id) AS seller_keys,
       keys.number_key, keys.invoice_number, keys.year, keys.issue_date, keys.total,
       keys.currency
  FROM (SELECT DISTINCT
               document_id, number_key, alike_key, invoice_number, year, issue_date, total,
               currency
          FROM invoice_keys
         WHERE owner_id = $1
           AND seller_key = ANY($2::text[])
           AND (alike_key = $3 OR total = $4)
           AND document_id <> $5) AS keys
  JOIN review_items item USING (document_id)
 WHERE item.status <> 'withdrawn'
   AND (item.status, item.reason_code) IS DISTINCT FROM ('rejected', 'split')
 ORDER BY keys.alike_key = $3 DESC, keys.document_id DESC
 LIMIT $6;
