-- How the first page of each document looks from afar, and what tells of it beside.
-- $1 sheets
INSERT INTO sheets (
       document_id, owner_id, page_count, fingerprint, number, issue_date, total)
SELECT document_id, owner_id, page_count, fingerprint, number, issue_date, total
  FROM jsonb_to_recordset($1::jsonb) AS given (
       document_id uuid, owner_id text, page_count integer, fingerprint bit(64), number text,
       issue_date text, total numeric)
 ORDER BY document_id;
