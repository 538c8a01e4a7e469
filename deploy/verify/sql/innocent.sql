-- Which of these documents failed, or have a letter that somebody has to look at.
-- $1 document_ids
SELECT d.document_id::text AS subject,
       'is ' || d.status || coalesce(', and has a letter of ' || l.letters, '') AS detail,
       d.revision::text AS mark
  FROM ingest.documents d
  LEFT JOIN LATERAL (
        SELECT string_agg(origin_queue || ': ' || reason, ', ') AS letters
          FROM monitor.dead_letters
         WHERE document_id = d.document_id) AS l ON true
 WHERE d.document_id = ANY ($1::uuid[])
   AND (d.status = 'failed' OR l.letters IS NOT NULL)
 ORDER BY subject;
