-- Versions that went backwards: of a result below what was stored, of an item below its edits.
-- $1 limit
SELECT subject, detail, mark
  FROM (SELECT d.document_id::text AS subject,
               'shows version ' || d.result_version || ' and had ' || e.version AS detail,
               d.revision::text AS mark
          FROM ingest.documents d
         CROSS JOIN LATERAL (
                SELECT max((body ->> 'result_version')::integer) AS version
                  FROM ingest.document_events
                 WHERE document_id = d.document_id
                   AND type = 'document.stored') AS e
         WHERE d.status NOT IN ('cancelled', 'deleted')
           AND d.result_version < e.version
         UNION ALL
        SELECT i.document_id::text,
               'is at version ' || i.version || ' and was edited at ' || e.version,
               i.version::text
          FROM review.review_items i
         CROSS JOIN LATERAL (
                SELECT max(version) AS version
                  FROM review.field_edits
                 WHERE document_id = i.document_id) AS e
         WHERE i.version < e.version) AS found
 ORDER BY subject, detail
 LIMIT $1;
