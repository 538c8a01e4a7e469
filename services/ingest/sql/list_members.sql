-- The documents of a batch as they were handed in, behind a position.
-- $1 batch_id  $2 after  $3 limit
SELECT m.position, d.document_id, d.status, d.stage, d.progress, d.filename, d.error_message,
       d.confidence, d.vendor_name, d.invoice_number, d.invoice_date, d.total, d.currency,
       d.result_key
  FROM batch_members m
  JOIN documents d USING (document_id)
 WHERE m.batch_id = $1::uuid
   AND m.position > $2::integer
 ORDER BY m.position
 LIMIT $3::integer;
