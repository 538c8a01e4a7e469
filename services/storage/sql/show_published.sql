-- What was published by those who did not say so, in the places of before: it is shown from now
-- on. If another version was shown meanwhile, it is published anew, which also clears up where
-- there are two places. Only what the index knows: from there it is known if they erase it.
-- SKIP LOCKED: what is being published this moment is shown by whoever does it.
-- $1 limit
WITH found AS (
    SELECT o.document_id
      FROM outputs o
      JOIN result_index i USING (document_id)
     WHERE o.published_at IS NOT NULL
       AND o.shown_version IS DISTINCT FROM o.version
     LIMIT $1
       FOR UPDATE OF o SKIP LOCKED
), shown AS (
    UPDATE outputs o
       SET published_at = CASE WHEN o.shown_version IS NULL THEN o.published_at END,
           shown_version = coalesce(o.shown_version, o.version),
           json_key = 'data/json/' || to_char(o.accepted_at AT TIME ZONE 'UTC', 'YYYY/MM/DD')
                      || '/' || o.document_id || '.json',
           parquet_key = 'data/parquet/'
                         || to_char(o.accepted_at AT TIME ZONE 'UTC', 'YYYY/MM/DD')
                         || '/' || o.document_id || '.parquet'
      FROM found
     WHERE o.document_id = found.document_id
    RETURNING o.document_id, o.accepted_at
), changed AS (
    INSERT INTO day_changes (day)
    SELECT DISTINCT (accepted_at AT TIME ZONE 'UTC')::date
      FROM shown
)
SELECT document_id
  FROM shown;
