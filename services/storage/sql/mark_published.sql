-- The dated paths show the current version, and their days have changed. The caller has held
-- the rows since it read which version that is.
-- $1 document_ids  $2 json_keys  $3 parquet_keys
WITH shown AS (
    UPDATE outputs o
       SET published_at = now(),
           json_key = given.json_key,
           parquet_key = given.parquet_key,
           shown_version = o.version,
           shown_size = s.table_size,
           shown_sha256 = s.table_sha256,
           shown_issue_date = coalesce(s.issue_date, 'infinity'),
           shown_seller = coalesce(s.seller, '')
      FROM unnest($1::uuid[], $2::text[], $3::text[])
           AS given (document_id, json_key, parquet_key)
      JOIN stored_results s USING (document_id)
     WHERE o.document_id = given.document_id
       AND s.version = o.version
    RETURNING o.accepted_at
)
INSERT INTO day_changes (day)
SELECT DISTINCT (accepted_at AT TIME ZONE 'UTC')::date
  FROM shown;
