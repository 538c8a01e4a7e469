-- Documents that have not ended although nothing happens any more.
-- $1 limit
SELECT document_id::text AS subject,
       status || ' at ' || stage || coalesce(', waits for ' || waiting_for, '') AS detail,
       revision::text AS mark
  FROM ingest.documents
 WHERE status IN ('queued', 'processing')
 ORDER BY subject
 LIMIT $1;
