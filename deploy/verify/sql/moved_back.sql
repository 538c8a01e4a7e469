-- Documents that had ended, and are under way or otherwise again without a new run that says so.
-- $1 limit
SELECT d.document_id::text AS subject,
       'is ' || d.status || ' in run ' || d.run || ', after ' || e.type AS detail,
       d.revision::text AS mark
  FROM ingest.documents d
  JOIN ingest.document_events e USING (document_id)
 WHERE d.status IN ('queued', 'processing')
       AND (e.type = 'document.stored'
            AND (e.body ->> 'result_version')::integer > d.replaces_version
            OR e.type = 'document.failed' AND d.run = 0)
    OR e.type = 'document.cancelled' AND d.status NOT IN ('cancelled', 'deleted')
    OR e.type = 'document.deleted' AND d.status <> 'deleted'
 ORDER BY subject, e.seq
 LIMIT $1;
