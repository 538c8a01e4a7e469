-- Approved current versions that are not on their way: whoever wrote them ran before there
-- was a hand-over. SKIP LOCKED: what is being written this moment is noted by its writer.
-- $1 limit
WITH missing AS (
    SELECT o.document_id, o.version
      FROM outputs o
      JOIN stored_results s USING (document_id, version)
     WHERE s.verdict IN ('approved', 'corrected')
       AND NOT EXISTS (
            SELECT
              FROM approvals a
             WHERE a.document_id = o.document_id
               AND a.version = o.version)
     LIMIT $1
       FOR UPDATE OF o SKIP LOCKED
)
INSERT INTO approvals (document_id, version, owner_id, verdict)
SELECT s.document_id, s.version, s.owner_id, s.verdict
  FROM missing
  JOIN stored_results s USING (document_id, version)
    ON CONFLICT (document_id, version) DO NOTHING
RETURNING document_id;
