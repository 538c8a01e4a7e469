-- Leave tombstones: that there was a document, whose it was and when, and nothing of what it
-- said. One that was under way ends with it. Deleting twice is deleting once. What is held
-- stays; that is asked of the row itself, which is locked by then: in key order, as those of
-- facts are, so that neither waits for the other crosswise.
-- $1 document_ids  $2 owner_id  $3 fact_ids
WITH held AS (
    SELECT d.document_id, d.content_key, d.rank, asked.fact_id
      FROM unnest($1::uuid[], $3::uuid[]) AS asked(document_id, fact_id)
      JOIN documents d USING (document_id)
     WHERE ($2::text IS NULL OR d.owner_id = $2::text)
       AND d.status <> 'deleted'
       AND d.hold_since IS NULL
     ORDER BY d.document_id
       FOR UPDATE OF d)
UPDATE documents d
   SET status = 'deleted',
       rank = 100,
       -- Until every service has reported.
       stage = 'erasing',
       waiting_for = NULL,
       next_attempt_at = NULL,
       error_message = NULL,
       told_rank = 100,
       told_fact_id = h.fact_id,
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
       -- We may have waited for the row while a start was written that began after us.
       completed_at = coalesce(d.completed_at, greatest(now(), d.started_at)),
       updated_at = now(),
       revision = d.revision + 1
  FROM held h
 WHERE d.document_id = h.document_id
RETURNING d.document_id, d.owner_id, d.created_at, d.priority, d.run, h.content_key,
          h.rank < 90 AS ended,
          extract(epoch FROM now() - d.created_at)::double precision AS lasted_s;
