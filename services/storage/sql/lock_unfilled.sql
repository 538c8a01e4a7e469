-- Rows of the index whose values nobody has looked up yet.
-- $1 limit
SELECT document_id, version, result_key
  FROM result_index
 WHERE filled_at IS NULL
 LIMIT $1
   FOR UPDATE SKIP LOCKED;
