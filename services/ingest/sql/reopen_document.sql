-- Begin a new run of a document that failed or, by force, of one that has a result, and let it
-- wait its turn like a new one; one of a batch is held besides, until its batch has room. Facts
-- of the runs before are late from now on, and so is the present result, should it be told
-- again. What was cancelled stays as it is: every stage has forgotten it.
-- $1 document_id  $2 owner_id  $3 told_id  $4 traceparent  $5 force  $6 engine
WITH held AS (
    SELECT document_id, status AS status_before, result_version
      FROM documents
     WHERE document_id = $1::uuid
       AND ($2::text IS NULL OR owner_id = $2::text)
       AND (status = 'failed' OR $5::boolean AND status IN ('completed', 'duplicate'))
       FOR UPDATE),
reopened AS (
    UPDATE documents d
       SET status = 'queued',
           rank = 10,
           run = d.run + 1,
           replaces_version = d.result_version,
           -- What was begun by force and failed is tried again by force, by the same engine.
           forced = $5::boolean OR d.status = 'failed' AND d.forced,
           wanted_engine = coalesce($6::text,
                                    CASE WHEN d.status = 'failed' THEN d.wanted_engine END),
           reopened_at = now(),
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
           revision = d.revision + 1
      FROM held h
     WHERE d.document_id = h.document_id
    RETURNING d.document_id, d.owner_id, d.priority, d.run, h.status_before, h.result_version),
waits AS (
    INSERT INTO waiting (document_id, owner_id, priority, accepted_at, traceparent,
                         urgent_turn, ready)
    SELECT document_id, owner_id, priority, now(), $4::text,
           coalesce(pg_sequence_last_value('urgent_turns'::regclass), 0),
           NOT EXISTS (SELECT FROM batch_members m WHERE m.document_id = r.document_id)
      FROM reopened r)
SELECT run, status_before, result_version FROM reopened;
