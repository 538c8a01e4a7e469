-- One item per document: a second order for the same document finds it and changes nothing.
-- $1 items
INSERT INTO review_items (
       document_id, owner_id, accepted_at, priority, extraction_key, result_version, sha256,
       engine, confidence, duplicate, filename, vendor_name, invoice_number, due_at, doubt,
       complexity, value, base, sla_rate, ranked_on, gates, automatic, job_id, run, traceparent)
SELECT document_id, owner_id, accepted_at, priority, extraction_key, result_version, sha256,
       engine, confidence, duplicate, filename, vendor_name, invoice_number, due_at, doubt,
       complexity, value, base, sla_rate, ranked_on, gates, automatic, job_id, run, traceparent
  FROM jsonb_to_recordset($1::jsonb) AS item (
       document_id uuid, owner_id text, accepted_at timestamptz, priority smallint,
       extraction_key text, result_version integer, sha256 text, engine text,
       confidence double precision, duplicate boolean, filename text, vendor_name text,
       invoice_number text, due_at timestamptz, doubt double precision,
       complexity double precision, value double precision, base double precision,
       sla_rate double precision, ranked_on jsonb, gates jsonb, automatic boolean, job_id uuid, run integer, traceparent text)
 ORDER BY document_id
    ON CONFLICT (document_id) DO NOTHING
RETURNING document_id;
