-- What a day shows, in the order of its file, from behind the given place on.
-- $1 day  $2 issue_date  $3 seller  $4 document_id  $5 limit
SELECT document_id, shown_version AS version, accepted_at, shown_size AS size,
       shown_sha256 AS sha256, json_key, parquet_key,
       shown_issue_date AS issue_date, shown_seller AS seller
  FROM outputs
 WHERE (accepted_at AT TIME ZONE 'UTC')::date = $1
   AND shown_version IS NOT NULL
   AND (shown_issue_date, shown_seller COLLATE "C", document_id)
       > ($2::date, $3::text COLLATE "C", $4::uuid)
 ORDER BY shown_issue_date, shown_seller COLLATE "C", document_id
 LIMIT $5;
