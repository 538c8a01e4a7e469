-- Documents whose dated paths have been behind for a while: their writer died, or the object
-- store was away. The age keeps the repair off what is being published this moment.
-- $1 older_than_s  $2 limit
SELECT document_id, version, accepted_at, json_key, parquet_key
  FROM outputs
 WHERE published_at IS NULL
   AND changed_at < now() - make_interval(secs => $1)
 ORDER BY changed_at
 LIMIT $2
   FOR UPDATE SKIP LOCKED;
