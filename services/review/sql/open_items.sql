-- One item per document: a second order for the same document finds it and changes nothing.
-- $1 items
INSERT INTO review_items (
       document_id, owner_id, accepted_at, priority, extraction_key, result_version, sha256,
       engine, confidence, duplicate, filename, job_id, run, traceparent)
SELECT document_id, owner_id, accepted_at, priority, extraction_key, result_version, sha256,
       engine, confidence, duplicate, filename, job_id, run, traceparent
  FROM jsonb_to_recordset($1::jsonb) AS item (
       document_id uuid, owner_id text, accepted_at timestamptz, priority smallint,
       extraction_key text, result_version integer, sha256 text, engine text,
       confidence double precision, duplicate boolean, filename text, job_id uuid, run integer,
       traceparent text)
 ORDER BY document_id
    ON CONFLICT (document_id) DO NOTHING
RETURNING document_id;
