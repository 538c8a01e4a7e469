-- Give numbers to versions before their files are written. A decision gets the number of what
-- was judged plus its revision, unless a reading has taken it meanwhile; a reading gets the
-- next free one. What has a number keeps it. The documents' locks are held.
-- $1 document_ids  $2 readings  $3 review_revisions  $4 replaces
INSERT INTO version_numbers (document_id, version, reading, review_revision, replaces)
SELECT g.document_id,
       n.version,
       CASE WHEN g.review_revision = 0 THEN n.version ELSE g.reading END,
       g.review_revision,
       CASE WHEN g.review_revision = 0 THEN g.replaces END
  FROM unnest($1::uuid[], $2::int[], $3::int[], $4::int[])
       AS g(document_id, reading, review_revision, replaces)
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
                       THEN g.reading + g.review_revision
                   ELSE free.version
               END AS version) AS n
    ON CONFLICT DO NOTHING;
