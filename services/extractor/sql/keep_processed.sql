-- Keep answers and give up the leases under which they were read, in one statement: a holder whose
-- lease was taken over deletes no row, and so inserts none. Neither does one whose document is
-- withdrawn: not for a moment may a copy become the duplicate of nothing. What stood there
-- before had expired, or was to be read anew.
-- $1 owner_ids  $2 sha256s  $3 configs  $4 tokens  $5 document_ids  $6 extraction_keys  $7 job_ids
-- $8 are_degraded
WITH given_up AS (
    DELETE FROM leases
     USING unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::uuid[], $6::text[],
                  $7::uuid[], $8::boolean[])
           AS mine (owner_id, sha256, config, token, document_id, extraction_key, job_id, degraded)
     WHERE leases.owner_id = mine.owner_id
       AND leases.sha256 = mine.sha256
       AND leases.config = mine.config
       AND leases.token = mine.token
       AND NOT EXISTS (SELECT FROM withdrawn WHERE document_id = mine.document_id)
    RETURNING mine.*
), kept AS (
    INSERT INTO processed_documents
           (owner_id, sha256, config, document_id, extraction_key, job_id, degraded)
    SELECT owner_id, sha256, config, document_id, extraction_key, job_id, degraded
      FROM given_up
     ORDER BY owner_id, sha256, config
        ON CONFLICT (owner_id, sha256, config) DO UPDATE
       SET document_id = excluded.document_id,
           extraction_key = excluded.extraction_key,
           job_id = excluded.job_id,
           degraded = excluded.degraded,
           kept_at = now()
)
SELECT token
  FROM given_up;
