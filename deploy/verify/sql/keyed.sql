-- For which documents these idempotency keys stand, whoever used them.
-- $1 keys
SELECT idempotency_key, document_id
  FROM ingest.idempotency_keys
 WHERE idempotency_key = ANY ($1::text[]);
