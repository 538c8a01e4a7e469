-- Show what was read anew. Whoever looked at the item holds a version that is no longer current;
-- one that was decided is open again, and its verdict stands in the audit log. `reviewed_key`
-- stays: it names what a person made of the reading before.
-- $1 items
UPDATE review_items r
   SET extraction_key = item.extraction_key,
       result_version = item.result_version,
       engine = item.engine,
       confidence = item.confidence,
       duplicate = item.duplicate,
       priority = item.priority,
       job_id = item.job_id,
       run = item.run,
       traceparent = item.traceparent,
       version = r.version + 1,
       -- Decisions are counted for each reading.
       revision = 0,
       status = CASE WHEN r.status = 'in_review' THEN 'in_review' ELSE 'pending' END,
       opened_at = CASE WHEN r.status IN ('pending', 'in_review') THEN r.opened_at
                        ELSE now() END,
       decided_by = NULL,
       decided_at = NULL,
       reason_code = NULL,
       reason = NULL
  FROM jsonb_to_recordset($1::jsonb) AS item (
       document_id uuid, priority smallint, extraction_key text, result_version integer,
       engine text, confidence double precision, duplicate boolean, job_id uuid, run integer,
       traceparent text)
 WHERE r.document_id = item.document_id
   AND r.status <> 'withdrawn'
   AND r.result_version < item.result_version;
