-- Documents that look like this one from afar. Bits that nearly agree have no index, and need
-- none: two of number, date and total leave a handful of which they are counted.
-- $1 document_id  $2 owner_id  $3 number  $4 issue_date  $5 total  $6 distance  $7 limit
SELECT other.document_id, item.filename, item.status, item.sha256, item.accepted_at,
       item.invoice_number, other.number, other.issue_date, other.total
  FROM sheets other
  JOIN sheets mine ON mine.document_id = $1
  JOIN review_items item ON item.document_id = other.document_id
 WHERE other.owner_id = $2
   AND other.document_id <> $1
   AND ((other.issue_date = $4 AND other.total = $5)
        OR (other.issue_date = $4 AND other.number = $3)
        OR (other.number = $3 AND other.total = $5))
   AND other.page_count = mine.page_count
   AND length(replace((other.fingerprint # mine.fingerprint)::text, '0', '')) <= $6::integer
   AND item.status <> 'withdrawn'
   AND (item.status, item.reason_code) IS DISTINCT FROM ('rejected', 'split')
 ORDER BY other.document_id DESC
 LIMIT $7;
