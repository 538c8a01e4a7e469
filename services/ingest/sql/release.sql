-- Let documents that waited go, and note whose turn it was; how it goes stands at the function.
-- $1 document_ids  $2 others  $3 oldest  $4 urgent_owed  $5 priorities  $6 owner_ids
SELECT document_id, owner_id, accepted_at, priority, content_key, sha256, size_bytes, media_type,
       filename, run, traceparent, forced, replaces_version, due_at, wanted_engine
  FROM release($1, $2, $3, $4, $5, $6);
