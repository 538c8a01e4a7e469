-- The numbers that versions got: of a reading the last one.
-- $1 document_ids  $2 readings  $3 review_revisions  $4 replaces  $5 extraction_keys
SELECT DISTINCT ON (g.nth)
       g.nth, v.version, v.reading
  FROM unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::text[]) WITH ORDINALITY
       AS g(document_id, reading, review_revision, replaces, extraction_key, nth)
  JOIN version_numbers v
    ON v.document_id = g.document_id
   AND v.review_revision = g.review_revision
   AND CASE WHEN g.review_revision > 0 THEN v.reading = g.reading
            ELSE v.version > g.replaces
                 AND coalesce(v.extraction_key = g.extraction_key, v.replaces = g.replaces) END
 ORDER BY g.nth, v.version DESC;
