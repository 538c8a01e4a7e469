-- Accepted documents of which the commit told nobody: without the fact there was no order.
-- $1 limit
SELECT d.document_id::text AS subject,
       'accepted ' || d.created_at || ', and its timeline does not begin with that' AS detail,
       d.revision::text AS mark
  FROM ingest.documents d
 WHERE d.status <> 'deleted'
   AND NOT EXISTS (
        SELECT
          FROM ingest.document_events e
         WHERE e.document_id = d.document_id
           AND e.seq = 1
           AND e.type = 'document.accepted')
 ORDER BY subject
 LIMIT $1;
