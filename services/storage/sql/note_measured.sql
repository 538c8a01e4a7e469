-- What files of before measure. Nothing if the document shows another version by now.
-- $1 document_ids  $2 versions  $3 sizes  $4 digests  $5 issue_dates  $6 sellers
WITH given AS (
    SELECT *
      FROM unnest($1::uuid[], $2::int[], $3::int[], $4::text[], $5::date[], $6::text[])
        AS given (document_id, version, size, sha256, issue_date, seller)
), kept AS (
    UPDATE stored_results s
       SET table_size = g.size, table_sha256 = g.sha256,
           issue_date = g.issue_date, seller = g.seller
      FROM given g
     WHERE s.document_id = g.document_id
       AND s.version = g.version
), shown AS (
    UPDATE outputs o
       SET shown_size = g.size, shown_sha256 = g.sha256,
           shown_issue_date = coalesce(g.issue_date, 'infinity'),
           shown_seller = coalesce(g.seller, '')
      FROM given g
     WHERE o.document_id = g.document_id
       AND o.shown_version = g.version
    RETURNING o.accepted_at
)
INSERT INTO day_changes (day)
SELECT DISTINCT (accepted_at AT TIME ZONE 'UTC')::date
  FROM shown;
