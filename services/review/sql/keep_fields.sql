-- The values of items just opened or read anew, for all of them at once. Where a person's value
-- stands already it comes again as the person left it, with what the machine says beside it.
-- $1 document_ids  $2 paths  $3 positions  $4 values  $5 raws  $6 confidences  $7 statuses
-- $8 sources  $9 evidence  $10 alternatives  $11 machines  $12 locked_by
INSERT INTO extracted_fields (
       document_id, path, position, value, raw, confidence, status, source, evidence,
       alternatives, machine, locked_by)
SELECT document_id, path, position, value, raw, confidence, status, source, evidence::jsonb,
       alternatives::jsonb, machine::jsonb, locked_by
  FROM unnest($1::uuid[], $2::text[], $3::int[], $4::text[], $5::text[], $6::float8[],
              $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[])
       AS field (document_id, path, position, value, raw, confidence, status, source, evidence,
                 alternatives, machine, locked_by)
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
