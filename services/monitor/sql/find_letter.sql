-- A letter without its bytes: those are shown to fewer people, and each look is recorded.
-- $1 letter_id
SELECT letter_id, dead_queue, origin_queue, job_id, type, document_id, owner_id, run, reason,
       category, exception, message, fingerprint, attempts, first_failed_at, last_failed_at,
       headers, content_type, priority, body_bytes, failed_replay_id, state, replay_id, outcome,
       arrived_at, settled_at, version, superseded_by
  FROM dead_letters
 WHERE letter_id = $1;
