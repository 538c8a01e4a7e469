-- A page of one owner's documents, newest first, read backwards along its index.
-- $1 before_at  $2 before_id  $3 limit  $4 owner_id
SELECT document_id, owner_id, status, stage, progress, review_status, run, attempts, priority,
       filename, media_type, sha256, size_bytes, content_key, created_at, started_at,
       completed_at, updated_at, next_attempt_at, waiting_for, error_message, engine,
       confidence, result_key, result_version, vendor_name, invoice_number, invoice_date,
       total, currency, duplicate, revision, tags, metadata, due_at
  FROM documents
 WHERE owner_id = $4::text
   AND (created_at, document_id) < ($1::timestamptz, $2::uuid)
   AND status <> 'deleted'
 ORDER BY created_at DESC, document_id DESC
 LIMIT $3::integer;
