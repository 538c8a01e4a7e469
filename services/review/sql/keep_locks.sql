-- A person's word on each path; the last one counts.
-- $1 owner_id  $2 sha256  $3 locks
INSERT INTO field_locks (
       owner_id, sha256, path, value, raw, confidence, status, source, evidence, locked_by)
SELECT $1, $2, path, value, raw, confidence, status, source, evidence, locked_by
  FROM jsonb_to_recordset($3::jsonb) AS held (
       path text, value text, raw text, confidence double precision, status text, source text,
       evidence jsonb, locked_by text)
 ORDER BY path
    ON CONFLICT (owner_id, sha256, path) DO UPDATE
   SET value = excluded.value,
       raw = excluded.raw,
       confidence = excluded.confidence,
       status = excluded.status,
       source = excluded.source,
       evidence = excluded.evidence,
       locked_by = excluded.locked_by,
       locked_at = now();
