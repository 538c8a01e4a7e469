-- One document, if the asker may see it: without an owner every document is his.
-- $1 document_id  $2 owner_id
SELECT document_id, owner_id, status, stage, progress, review_status, run, attempts, priority,
       filename, media_type, sha256, size_bytes, content_key, created_at, started_at,
       completed_at, updated_at, next_attempt_at, waiting_for, error_message, engine,
       confidence, result_key, result_version, vendor_name, invoice_number, invoice_date,
       total, currency, duplicate, revision, tags, metadata, due_at
  FROM documents
 WHERE document_id = $1::uuid
   AND ($2::text IS NULL OR owner_id = $2::text);
