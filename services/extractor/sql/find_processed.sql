-- The same content of the same owner, read in the same way not too long ago: no engine is asked.
-- $1 owner_id  $2 sha256  $3 config  $4 ttl_s
SELECT document_id, extraction_key, job_id, degraded
  FROM processed_documents
 WHERE owner_id = $1
   AND sha256 = $2
   AND config = $3
   AND kept_at + make_interval(secs => $4) > clock_timestamp();
