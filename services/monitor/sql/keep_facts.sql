-- What was told of documents, each fact once. Of a deleted one only that it was told is kept.
-- $1 facts
INSERT INTO document_facts (
       document_id, job_id, type, run, said_at, trace_id, cause_id, detail)
SELECT f.document_id, f.job_id, f.type, f.run, f.said_at, f.trace_id, f.cause_id,
       CASE WHEN d.status = 'deleted' THEN '{}'::jsonb ELSE f.detail END
  FROM jsonb_to_recordset($1::jsonb) AS f (
       document_id uuid, job_id uuid, type text, run integer, said_at timestamptz,
       trace_id text, cause_id uuid, detail jsonb)
  LEFT JOIN documents_seen AS d ON d.document_id = f.document_id
 ORDER BY f.document_id, f.job_id
    ON CONFLICT (document_id, job_id) DO NOTHING;
