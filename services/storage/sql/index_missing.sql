-- Rows for current versions that the index does not know: whoever wrote them ran before there
-- was an index. SKIP LOCKED: what is being written this moment is indexed by its writer.
-- $1 limit
WITH missing AS (
    SELECT o.document_id, o.version, o.changed_at
      FROM outputs o
      LEFT JOIN result_index i USING (document_id)
     WHERE i.version IS DISTINCT FROM o.version
     LIMIT $1
       FOR UPDATE OF o SKIP LOCKED
)
INSERT INTO result_index (document_id, version, owner_id, accepted_at, changed_at,
                          result_key, verdict)
SELECT s.document_id, s.version, s.owner_id, s.accepted_at, m.changed_at,
       s.result_key, s.verdict
  FROM missing m
  JOIN stored_results s USING (document_id, version)
    ON CONFLICT (document_id) DO UPDATE
   SET version = excluded.version,
       result_key = excluded.result_key,
       verdict = excluded.verdict,
       changed_at = excluded.changed_at,
       filled_at = NULL
RETURNING document_id;
