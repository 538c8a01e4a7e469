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
       vendor_name = item.vendor_name,
       invoice_number = item.invoice_number,
       doubt = item.doubt,
       complexity = item.complexity,
       value = item.value,
       base = item.base,
       sla_rate = item.sla_rate,
       ranked_on = item.ranked_on,
       gates = item.gates,
       automatic = item.automatic,
       -- Who has decided it once is given as long again as at first, though not beyond what
       -- calendars hold: nobody could read a list any more in which it stood.
       due_at = CASE WHEN r.status IN ('pending', 'in_review') THEN r.due_at
                     ELSE least(now() + greatest(item.due_at - item.accepted_at, '0'),
                                timestamptz '9000-01-01 00:00:00Z') END,
       breached_at = CASE WHEN r.status IN ('pending', 'in_review') THEN r.breached_at END,
       seconds_spent = CASE WHEN r.status IN ('pending', 'in_review') THEN r.seconds_spent
                            ELSE 0 END,
       first_claimed_at = CASE WHEN r.status IN ('pending', 'in_review')
                               THEN r.first_claimed_at END,
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
       reason = NULL,
       duplicate_of = NULL,
       reopened_by = NULL,
       -- What was put off until this reading has come is there again.
       postponed_until = CASE WHEN r.reextract_asked_at IS NULL THEN r.postponed_until END,
       reextract_asked_at = NULL,
       reextract_asked_by = NULL
  FROM jsonb_to_recordset($1::jsonb) AS item (
       document_id uuid, accepted_at timestamptz, priority smallint, extraction_key text,
       result_version integer, engine text, confidence double precision, duplicate boolean,
       vendor_name text, invoice_number text, due_at timestamptz, doubt double precision,
       complexity double precision, value double precision, base double precision,
       sla_rate double precision, ranked_on jsonb, gates jsonb, automatic boolean, job_id uuid, run integer, traceparent text)
 WHERE r.document_id = item.document_id
   AND r.status <> 'withdrawn'
   AND r.result_version < item.result_version;
