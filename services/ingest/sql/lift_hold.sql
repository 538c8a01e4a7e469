-- It may be erased again. Returns what was lifted; lifting twice is lifting once.
-- $1 document_id
WITH held AS (
    SELECT document_id, hold_since, hold_by, hold_reason
      FROM documents
     WHERE document_id = $1::uuid
       AND hold_since IS NOT NULL
       FOR UPDATE)
UPDATE documents d
   SET hold_since = NULL,
       hold_by = NULL,
       hold_reason = NULL
  FROM held h
 WHERE d.document_id = h.document_id
RETURNING h.document_id, h.hold_since AS since, h.hold_by AS by, h.hold_reason AS reason;
