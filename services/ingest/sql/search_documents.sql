-- A page of what a client looks for, newest first. One statement for all questions: it is
-- planned each time, when those that were not asked have fallen away.
-- $1 before_at  $2 before_id  $3 limit  $4 owner_id  $5 status  $6 priority  $7 tag
-- $8 accepted_after  $9 accepted_before  $10 pattern  $11 engine
SELECT document_id, owner_id, status, stage, progress, review_status, run, attempts, priority,
       filename, media_type, sha256, size_bytes, content_key, created_at, started_at,
       completed_at, updated_at, next_attempt_at, waiting_for, error_message, engine,
       confidence, result_key, result_version, vendor_name, invoice_number, invoice_date,
       total, currency, duplicate, revision, tags, metadata, due_at
  FROM documents
 WHERE (created_at, document_id) < ($1::timestamptz, $2::uuid)
   AND ($4::text IS NULL OR owner_id = $4::text)
   AND ($5::text IS NULL OR status = $5::text)
   AND ($6::smallint IS NULL OR priority = $6::smallint)
   AND ($7::text IS NULL OR tags @> ARRAY[$7::text])
   AND ($8::timestamptz IS NULL OR created_at >= $8::timestamptz)
   AND ($9::timestamptz IS NULL OR created_at < $9::timestamptz)
   AND ($11::text IS NULL OR engine = $11::text)
   AND ($10::text IS NULL
        OR lower(left(vendor_name, 200)) LIKE lower($10::text)
        OR lower(left(invoice_number, 200)) LIKE lower($10::text)
        OR lower(filename) LIKE lower($10::text))
   AND status <> 'deleted'
 ORDER BY created_at DESC, document_id DESC
 LIMIT $3::integer;
