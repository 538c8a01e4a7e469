-- Facts that somebody published and never committed: of whoever told them no inbox knows the job
-- that they are the end of, or that end was told twice. The mark and the message are one commit,
-- so a message that was out before it is told anew by the next try.
-- $1 limit  $2 live_s
WITH told AS (
    SELECT f.document_id, f.type, f.run, f.cause_id, count(*) AS facts
      FROM monitor.document_facts f
      JOIN ingest.documents d USING (document_id)
     WHERE f.type IN ('document.extracted', 'document.stored', 'review.opened')
       AND f.cause_id IS NOT NULL
       AND f.heard_at > now() - interval '20 days'
       AND f.heard_at <= now() - make_interval(secs => $2)
       AND d.status <> 'deleted'
     GROUP BY f.document_id, f.type, f.run, f.cause_id)
SELECT document_id::text AS subject,
       type || ' in run ' || run
           || CASE WHEN facts > 1 THEN ' was told ' || facts || ' times of one job'
                   ELSE ' was told of a job that nobody has done' END AS detail,
       cause_id || ' ' || facts AS mark
  FROM told t
 WHERE facts > 1
    OR NOT CASE type
           WHEN 'document.extracted' THEN EXISTS (
                SELECT FROM extractor.inbox i WHERE i.job_id = t.cause_id)
           WHEN 'document.stored' THEN EXISTS (
                SELECT FROM storage.inbox i WHERE i.job_id = t.cause_id)
           ELSE EXISTS (SELECT FROM review.inbox i WHERE i.job_id = t.cause_id) END
 ORDER BY subject, detail
 LIMIT $1;
