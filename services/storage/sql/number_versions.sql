-- Give numbers to versions before their files are written. A decision gets the number of what
-- was judged plus its revision, unless that is taken or lies below what it is to outdo; a
-- reading gets the next free one. What has a number keeps it, but for a reading that was never
-- kept and has been overtaken by a decision over the one before: whoever goes by numbers must
-- see it last. A reading that finds its place taken by another one stands behind that. The
-- documents' locks are held.
-- $1 document_ids  $2 readings  $3 review_revisions  $4 replaces  $5 extraction_keys
INSERT INTO version_numbers (document_id, version, reading, review_revision, replaces,
                             extraction_key)
SELECT g.document_id,
       n.version,
       CASE WHEN g.review_revision = 0 THEN n.version ELSE g.reading END,
       g.review_revision,
       CASE WHEN g.review_revision > 0 THEN NULL
            WHEN EXISTS (
                SELECT
                  FROM version_numbers v
                 WHERE v.document_id = g.document_id
                   AND v.replaces = g.replaces)
                THEN (SELECT max(v.version) FROM version_numbers v
                       WHERE v.document_id = g.document_id
                         AND v.review_revision = 0)
            ELSE g.replaces END,
       CASE WHEN g.review_revision = 0 THEN g.extraction_key END
  FROM unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::text[])
       AS g(document_id, reading, review_revision, replaces, extraction_key)
  LEFT JOIN outputs o ON o.document_id = g.document_id
 CROSS JOIN LATERAL (
        SELECT greatest(
                   1,
                   (SELECT max(v.version) FROM version_numbers v
                     WHERE v.document_id = g.document_id),
                   (SELECT max(s.version) FROM stored_results s
                     WHERE s.document_id = g.document_id)) + 1 AS version) AS free
 CROSS JOIN LATERAL (
        SELECT CASE
                   WHEN g.review_revision > 0
                        AND NOT EXISTS (
                            SELECT
                              FROM version_numbers v
                             WHERE v.document_id = g.document_id
                               AND v.version = g.reading + g.review_revision)
                        AND NOT coalesce(
                            o.version > g.reading + g.review_revision
                            AND (o.reading, o.review_revision)
                                < (g.reading, g.review_revision), false)
                       THEN g.reading + g.review_revision
                   ELSE free.version
               END AS version) AS n
 WHERE g.review_revision > 0
    OR NOT EXISTS (
        SELECT
          FROM version_numbers v
         WHERE v.document_id = g.document_id
           AND v.review_revision = 0
           AND v.version > g.replaces
           AND coalesce(v.extraction_key = g.extraction_key, v.replaces = g.replaces)
           AND (o.document_id IS NULL
                OR o.version <= v.version
                OR o.reading >= v.reading
                OR EXISTS (
                    SELECT
                      FROM stored_results s
                     WHERE s.document_id = v.document_id
                       AND s.version = v.version)))
    ON CONFLICT DO NOTHING;
