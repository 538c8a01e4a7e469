-- Documents whose status nobody ever told: how a document ended stands in its timeline too.
-- $1 limit
SELECT d.document_id::text AS subject,
       'is ' || d.status || ', and nothing in its timeline says so' AS detail,
       d.revision::text AS mark
  FROM ingest.documents d
 WHERE d.rank >= 90
   AND NOT EXISTS (
        SELECT
          FROM ingest.document_events e
         WHERE e.document_id = d.document_id
           AND CASE d.status
                   WHEN 'completed' THEN e.type = 'document.stored'
                        AND NOT coalesce((e.body ->> 'duplicate')::boolean, false)
                   WHEN 'duplicate' THEN e.type = 'document.stored'
                        AND coalesce((e.body ->> 'duplicate')::boolean, false)
                   ELSE e.type = 'document.' || d.status
               END)
 ORDER BY subject
 LIMIT $1;
