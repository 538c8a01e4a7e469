-- Facts that reached one of the two who listen to all of them, and not the other. How far a
-- document has come is kept by one only.
-- $1 limit
SELECT coalesce(e.document_id, f.document_id)::text AS subject,
       coalesce(e.type, f.type) || ' reached only '
           || CASE WHEN f.job_id IS NULL THEN 'ingest' ELSE 'the monitor' END AS detail,
       coalesce(e.fact_id, f.job_id)::text AS mark
  FROM (SELECT document_id, fact_id, type
          FROM ingest.document_events
         WHERE type <> 'document.progress') AS e
  FULL JOIN monitor.document_facts f
    ON f.document_id = e.document_id AND f.job_id = e.fact_id
  JOIN ingest.documents d
    ON d.document_id = coalesce(e.document_id, f.document_id)
 WHERE (e.fact_id IS NULL OR f.job_id IS NULL)
   AND d.status <> 'deleted'
   AND d.created_at > greatest((SELECT min(at) FROM monitor.conservation_began),
                               now() - interval '7 days')
 ORDER BY subject, mark
 LIMIT $1;
