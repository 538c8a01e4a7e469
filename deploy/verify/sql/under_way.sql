-- Documents under way that no row of ours carries: neither do they wait for their release, nor
-- does somebody read them, nor does a letter of theirs wait for a person. The broker has them,
-- or nobody.
-- $1 limit
SELECT d.document_id, d.revision::text AS mark,
       d.status || ' at ' || d.stage || ' since ' || d.updated_at AS detail,
       extract(epoch FROM now() - greatest(d.updated_at, d.next_attempt_at))::float8 AS silent_s
  FROM ingest.documents d
 WHERE d.status IN ('queued', 'processing')
   AND NOT EXISTS (SELECT FROM ingest.waiting w WHERE w.document_id = d.document_id)
   AND NOT EXISTS (
        SELECT
          FROM extractor.leases l
         WHERE l.document_id = d.document_id
           AND l.held_until > now())
   AND NOT EXISTS (
        SELECT
          FROM monitor.dead_letters l
         WHERE l.document_id = d.document_id
           AND l.state IN ('open', 'replaying'))
 ORDER BY d.document_id
 LIMIT $1;
