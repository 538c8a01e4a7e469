-- How many current results an export will hold, of one owner or of everybody.
-- $1 owner_id  $2 accepted_after  $3 accepted_before  $4 issued_after  $5 issued_before
-- $6 vendor  $7 number  $8 currency  $9 verdict  $10 confidence_min  $11 changed_after
SELECT count(*)
  FROM result_index
 WHERE ($1::text IS NULL OR owner_id = $1)
   AND ($2::timestamptz IS NULL OR accepted_at >= $2)
   AND ($3::timestamptz IS NULL OR accepted_at < $3)
   AND ($4::date IS NULL OR issue_date >= $4)
   AND ($5::date IS NULL OR issue_date < $5)
   AND ($6::text IS NULL OR lower(vendor_name) LIKE $6)
   AND ($7::text IS NULL OR lower(invoice_number) LIKE $7)
   AND ($8::text IS NULL OR currency = $8)
   AND ($9::text IS NULL OR coalesce(verdict, 'none') = $9)
   AND ($10::float8 IS NULL OR confidence >= $10)
   AND ($11::timestamptz IS NULL OR changed_at >= $11);
