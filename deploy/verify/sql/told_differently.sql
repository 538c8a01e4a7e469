-- Documents that have ended for their clients in one way, and for the operators in another.
-- $1 limit  $2 live_s
SELECT d.document_id::text AS subject,
       'ingest says ' || d.status || ', the monitor ' || coalesce(s.status, 'nothing') AS detail,
       d.revision || ' ' || coalesce(s.moved_at::text, '') AS mark
  FROM ingest.documents d
  LEFT JOIN monitor.documents_seen s USING (document_id)
 WHERE d.rank >= 90
   AND d.updated_at <= now() - make_interval(secs => $2)
   AND s.status IS DISTINCT FROM d.status
   -- What was accepted before facts were kept is unknown to the monitor.
   AND d.created_at > (SELECT min(at) FROM monitor.conservation_began)
 ORDER BY subject
 LIMIT $1;
