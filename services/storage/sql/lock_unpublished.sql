-- Those of these documents whose dated paths are behind. SKIP LOCKED: whoever holds the row is
-- publishing it right now, and has read the version that is current.
-- $1 document_ids
SELECT document_id, version, accepted_at, json_key, parquet_key
  FROM outputs
 WHERE document_id = ANY ($1::uuid[])
   AND published_at IS NULL
 ORDER BY document_id
   FOR UPDATE SKIP LOCKED;
