-- Documents that failed more often than letters of them are kept: a message was given up and is
-- nowhere. What was given up as lost had no message.
-- $1 limit  $2 live_s
SELECT d.document_id::text AS subject,
       f.failures || ' failures, ' || l.letters || ' letters' AS detail,
       d.revision::text AS mark
  FROM ingest.documents d
 CROSS JOIN LATERAL (
        SELECT count(*) AS failures
          FROM ingest.document_events e
         WHERE e.document_id = d.document_id
           AND e.type = 'document.failed'
           AND e.body ->> 'reason' <> 'lost') AS f
 CROSS JOIN LATERAL (
        SELECT (SELECT count(*) FROM monitor.dead_letters l
                 WHERE l.document_id = d.document_id)
               + (SELECT count(*) FROM monitor.letters_purged p
                   WHERE p.document_id = d.document_id) AS letters) AS l
 WHERE d.status = 'failed'
   AND d.updated_at <= now() - make_interval(secs => $2)
   AND f.failures > l.letters
 ORDER BY subject
 LIMIT $1;
