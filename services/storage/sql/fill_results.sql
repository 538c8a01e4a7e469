-- The values that stood in the files. The caller has held the rows since it read their keys.
-- $1 document_ids  $2 engines  $3 confidences  $4 vendor_names  $5 invoice_numbers
-- $6 issue_dates  $7 currencies
UPDATE result_index
   SET engine = g.engine,
       confidence = g.confidence,
       vendor_name = g.vendor_name,
       invoice_number = g.invoice_number,
       issue_date = g.issue_date,
       currency = g.currency,
       filled_at = now()
  FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::text[], $5::text[], $6::date[],
              $7::text[])
       AS g (document_id, engine, confidence, vendor_name, invoice_number, issue_date,
             currency)
 WHERE result_index.document_id = g.document_id;
