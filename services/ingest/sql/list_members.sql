-- The documents of a batch as they were handed in.
-- $1 batch_id
SELECT m.position, d.document_id, d.status, d.stage, d.progress, d.filename, d.error_message,
       d.confidence, d.vendor_name, d.invoice_number, d.invoice_date, d.total, d.currency
  FROM batch_members m
  JOIN documents d USING (document_id)
 WHERE m.batch_id = $1::uuid
 ORDER BY m.position;
