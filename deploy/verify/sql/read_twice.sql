-- Contents that engines have read for two documents of one owner within a day, though nobody asked
-- for it by force: the second had to be given the first one's answer. Another configuration reads
-- anew, and so does who comes after an answer that was withdrawn, or made without the provider.
-- $1 limit
SELECT owner_id || ' ' || sha256 AS subject,
       'read for ' || count(*) || ' documents: ' || string_agg(document_id::text, ', ') AS detail,
       count(*)::text AS mark
  FROM (SELECT d.owner_id, d.sha256, d.document_id, d.content_key
          FROM ingest.documents d
          JOIN ingest.document_events e USING (document_id)
         WHERE e.type = 'document.extracted'
           AND NOT coalesce((e.body ->> 'cache_hit')::boolean, false)
           AND e.body ->> 'engine' <> 'offline_fallback'
           AND NOT d.forced
           AND d.run = 0
           AND d.status IN ('completed', 'duplicate')
           AND d.created_at > now() - interval '30 days'
         GROUP BY d.document_id) AS reading
 GROUP BY owner_id, sha256
HAVING count(*) > 1
   AND count(*) > (SELECT count(*)
                     FROM extractor.processed_documents p
                    WHERE p.owner_id = reading.owner_id
                      AND p.sha256 = reading.sha256)
 ORDER BY subject
 LIMIT $1;
