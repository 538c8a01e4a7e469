-- Timelines whose numbers have gaps: something that was told is no longer there. Of a deleted
-- document only the deletion stays.
-- $1 limit
SELECT e.document_id::text AS subject,
       count(*) || ' events, numbered up to ' || max(e.seq) AS detail,
       count(*) || ' ' || max(e.seq) AS mark
  FROM ingest.document_events e
  JOIN ingest.documents d USING (document_id)
 WHERE d.status <> 'deleted'
 GROUP BY e.document_id
HAVING count(*) <> max(e.seq) OR min(e.seq) <> 1
 ORDER BY subject
 LIMIT $1;
