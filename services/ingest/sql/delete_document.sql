-- Leave a tombstone: that there was a document, whose it was and when, and nothing of what it
-- said. One that was under way ends with it. Deleting twice is deleting once.
-- $1 document_id  $2 owner_id  $3 fact_id
WITH held AS (
    SELECT document_id, content_key, rank
      FROM documents
     WHERE document_id = $1::uuid
       AND ($2::text IS NULL OR owner_id = $2::text)
       AND status <> 'deleted'
       FOR UPDATE)
UPDATE documents d
   SET status = 'deleted',
       rank = 100,
       -- Until every service has reported.
       stage = 'erasing',
       waiting_for = NULL,
       next_attempt_at = NULL,
       error_message = NULL,
       told_rank = 100,
       told_fact_id = $3::uuid,
       review_status = NULL,
       filename = '',
       sha256 = '',
       content_key = '',
       engine = NULL,
       confidence = NULL,
       result_version = 0,
       result_key = NULL,
       vendor_name = NULL,
       invoice_number = NULL,
       invoice_date = NULL,
       total = NULL,
       currency = NULL,
       due_at = NULL,
       tags = '{}',
       metadata = '{}',
       completed_at = coalesce(d.completed_at, now()),
       updated_at = now(),
       revision = d.revision + 1
  FROM held h
 WHERE d.document_id = h.document_id
RETURNING d.document_id, d.owner_id, d.created_at, d.priority, d.run, h.content_key,
          h.rank < 90 AS ended,
          extract(epoch FROM now() - d.created_at)::double precision AS lasted_s;
