-- A page of what somebody looks for, oldest first. One statement for all questions: it is
-- planned each time, when those that were not asked have fallen away.
-- $1 opened_at  $2 document_id  $3 status  $4 holder  $5 level  $6 due_from  $7 due_until
-- $8 pattern  $9 limit
SELECT *, (claimed_until >= now()) IS TRUE AS claim_holds
  FROM review_items
 WHERE (opened_at, document_id) > ($1::timestamptz, $2::uuid)
   AND ($3::text IS NULL
        OR status = $3::text
        OR ($3::text = 'open' AND status IN ('pending', 'in_review')))
   AND ($4::text IS NULL OR (held_by = $4::text AND status IN ('pending', 'in_review')))
   AND ($5::smallint IS NULL OR level = $5::smallint)
   AND ($6::timestamptz IS NULL OR due_at >= $6::timestamptz)
   AND ($7::timestamptz IS NULL OR due_at < $7::timestamptz)
   AND ($8::text IS NULL
        OR lower(left(vendor_name, 200)) LIKE lower($8::text)
        OR lower(left(invoice_number, 200)) LIKE lower($8::text)
        OR lower(left(filename, 200)) LIKE lower($8::text))
 ORDER BY opened_at, document_id
 LIMIT $9::integer;
