-- The numbers that versions got, and which of them rest on what has been read anew since.
-- $1 document_ids  $2 readings  $3 review_revisions  $4 replaces
SELECT g.nth, v.version, v.reading,
       EXISTS (
           SELECT
             FROM version_numbers newer
            WHERE newer.document_id = v.document_id
              AND newer.review_revision = 0
              AND newer.reading > v.reading) AS superseded
  FROM unnest($1::uuid[], $2::int[], $3::int[], $4::int[]) WITH ORDINALITY
       AS g(document_id, reading, review_revision, replaces, nth)
  JOIN version_numbers v
    ON v.document_id = g.document_id
   AND v.review_revision = g.review_revision
   AND CASE WHEN g.review_revision = 0 THEN v.replaces = g.replaces
            ELSE v.reading = g.reading END;
