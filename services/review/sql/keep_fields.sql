-- The values of items just opened or read anew, for all of them at once. Where a person's value
-- stands already it comes again as the person left it, with what the machine says beside it.
-- $1 fields
INSERT INTO extracted_fields (
       document_id, path, position, value, raw, confidence, status, source, evidence,
       alternatives, machine, locked_by)
SELECT document_id, path, position, value, raw, confidence, status, source, evidence,
       alternatives, machine, locked_by
  FROM jsonb_to_recordset($1::jsonb) AS field (
       document_id uuid, path text, position integer, value text, raw text,
       confidence double precision, status text, source text, evidence jsonb,
       alternatives jsonb, machine jsonb, locked_by text)
    ON CONFLICT (document_id, path) DO UPDATE
   SET position = excluded.position,
       value = excluded.value,
       raw = excluded.raw,
       confidence = excluded.confidence,
       status = excluded.status,
       source = excluded.source,
       evidence = excluded.evidence,
       alternatives = excluded.alternatives,
       machine = excluded.machine,
       locked_by = excluded.locked_by;
