-- Keep an answer and give up the lease under which it was read, in one statement: a holder whose
-- lease was taken over deletes no row, and so inserts none. Neither does one whose document is
-- withdrawn: not for a moment may a copy become the duplicate of nothing. What stood there
-- before had expired, or was to be read anew.
-- $1 owner_id  $2 sha256  $3 config  $4 token  $5 document_id  $6 extraction_key  $7 job_id
-- $8 degraded
WITH given_up AS (
    DELETE FROM leases
     WHERE owner_id = $1
       AND sha256 = $2
       AND config = $3
       AND token = $4
       AND NOT EXISTS (SELECT FROM withdrawn WHERE document_id = $5)
    RETURNING owner_id, sha256, config)
INSERT INTO processed_documents
       (owner_id, sha256, config, document_id, extraction_key, job_id, degraded)
SELECT owner_id, sha256, config, $5, $6, $7, $8
  FROM given_up
    ON CONFLICT (owner_id, sha256, config) DO UPDATE
   SET document_id = excluded.document_id,
       extraction_key = excluded.extraction_key,
       job_id = excluded.job_id,
       degraded = excluded.degraded,
       kept_at = now()
RETURNING document_id;
