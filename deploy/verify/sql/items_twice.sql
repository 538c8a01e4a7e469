-- Documents with more than one review item, or of which one was opened twice for one result.
-- $1 limit
SELECT subject, string_agg(detail, '; ') AS detail, string_agg(detail, '; ') AS mark
  FROM (SELECT document_id::text AS subject, count(*) || ' items' AS detail
          FROM review.review_items
         GROUP BY document_id
        HAVING count(*) > 1
         UNION ALL
        SELECT document_id::text,
               'opened ' || count(*) || ' times for version '
                   || coalesce(body ->> 'result_version', '1')
          FROM ingest.document_events
         WHERE type = 'review.opened'
         GROUP BY document_id, body ->> 'result_version'
        HAVING count(*) > 1) AS found
 GROUP BY subject
 ORDER BY subject
 LIMIT $1;
