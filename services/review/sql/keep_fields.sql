-- The values of items just opened, for all of them at once.
-- $1 fields
INSERT INTO extracted_fields (
       document_id, path, position, value, raw, confidence, status, source, evidence)
SELECT document_id, path, position, value, raw, confidence, status, source, evidence
  FROM jsonb_to_recordset($1::jsonb) AS field (
       document_id uuid, path text, position integer, value text, raw text,
       confidence double precision, status text, source text, evidence jsonb);
