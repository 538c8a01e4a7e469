-- One row per letter: what a crash between commit and settlement delivers again is known.
-- The bytes come beside the facts, for they may be anything and a JSON text may not.
-- $1 facts  $2 bodies
INSERT INTO dead_letters (
       letter_id, natural_key, dead_queue, origin_queue, job_id, type, document_id, owner_id,
       run, reason, category, exception, message, fingerprint, attempts, first_failed_at,
       last_failed_at, body, body_bytes, headers, content_type, priority, failed_replay_id)
SELECT letter_id, natural_key, dead_queue, origin_queue, job_id, type, document_id, owner_id,
       run, reason, category, exception, message, fingerprint, attempts, first_failed_at,
       last_failed_at, ($2::bytea[])[place], body_bytes, headers, content_type, priority,
       failed_replay_id
  FROM jsonb_to_recordset($1::jsonb) AS letter (
       place integer, letter_id uuid, natural_key text, dead_queue text, origin_queue text,
       job_id uuid, type text, document_id uuid, owner_id text, run integer, reason text,
       category text, exception text, message text, fingerprint text, attempts integer,
       first_failed_at timestamptz, last_failed_at timestamptz, body_bytes integer,
       headers jsonb, content_type text, priority smallint, failed_replay_id uuid)
 ORDER BY natural_key
    ON CONFLICT (natural_key) DO NOTHING
RETURNING letter_id;
