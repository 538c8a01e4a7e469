-- Begin a new run of a document that failed, and let it wait its turn like a new one. Facts of
-- the runs before are late from now on. What was cancelled or has a result stays as it is.
-- $1 document_id  $2 owner_id  $3 told_id  $4 traceparent
WITH reopened AS (
    UPDATE documents
       SET status = 'queued',
           rank = 10,
           run = run + 1,
           attempts = 0,
           progress = 0,
           sweeps = 0,
           stage = 'held',
           waiting_for = NULL,
           next_attempt_at = NULL,
           error_message = NULL,
           told_rank = 10,
           told_fact_id = $3::uuid,
           released_at = NULL,
           completed_at = NULL,
           updated_at = now(),
           revision = revision + 1
     WHERE document_id = $1::uuid
       AND ($2::text IS NULL OR owner_id = $2::text)
       AND status = 'failed'
    RETURNING document_id, owner_id, priority, created_at)
INSERT INTO waiting (document_id, owner_id, priority, accepted_at, traceparent, urgent_turn)
SELECT document_id, owner_id, priority, created_at, $4::text,
       coalesce(pg_sequence_last_value('urgent_turns'::regclass), 0)
  FROM reopened
RETURNING document_id;
