-- A page of everybody's current results, oldest first. A filter that is null takes everything.
-- $1 after_accepted_at  $2 after_document_id  $3 limit  $4 accepted_after  $5 accepted_before
-- $6 issued_after  $7 issued_before  $8 vendor  $9 number  $10 currency  $11 verdict
-- $12 confidence_min  $13 changed_after
SELECT document_id, version, owner_id, accepted_at, changed_at, result_key, verdict
  FROM result_index
 WHERE (accepted_at, document_id) > ($1, $2)
   AND ($4::timestamptz IS NULL OR accepted_at >= $4)
   AND ($5::timestamptz IS NULL OR accepted_at < $5)
   AND ($6::date IS NULL OR issue_date >= $6)
   AND ($7::date IS NULL OR issue_date < $7)
   AND ($8::text IS NULL OR lower(vendor_name) LIKE $8)
   AND ($9::text IS NULL OR lower(invoice_number) LIKE $9)
   AND ($10::text IS NULL OR currency = $10)
   AND ($11::text IS NULL OR coalesce(verdict, 'none') = $11)
   AND ($12::float8 IS NULL OR confidence >= $12)
   AND ($13::timestamptz IS NULL OR changed_at >= $13)
 ORDER BY accepted_at, document_id
 LIMIT $3;
