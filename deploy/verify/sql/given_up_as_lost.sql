-- Documents that the sweeper gave up: their message was nowhere.
-- $1 limit
SELECT d.document_id::text AS subject,
       'given up as lost after ' || d.sweeps || ' sweeps' AS detail,
       d.revision::text AS mark
  FROM ingest.documents d
 WHERE d.status = 'failed'
   AND EXISTS (
        SELECT
          FROM ingest.document_events e
         WHERE e.document_id = d.document_id
           AND e.type = 'document.failed'
           AND e.body ->> 'reason' = 'lost')
 ORDER BY subject
 LIMIT $1;
