-- For contents that the provider was asked about: how many documents have them, how many owners
-- still want one, how often they were read by force, under how many configurations, how many
-- tries were told of, and how many documents were cancelled after they had been begun: nobody
-- is given their answers. A copy has none of its own. Of what was deleted no content is known.
-- $1 sha256s
SELECT asked.sha256,
       (SELECT count(*) FROM ingest.documents d
         WHERE d.sha256 = asked.sha256) AS documents,
       (SELECT count(DISTINCT owner_id) FROM ingest.documents d
         WHERE d.sha256 = asked.sha256
           AND d.status <> 'cancelled') AS owners,
       (SELECT coalesce(sum(d.run), 0) FROM ingest.documents d
         WHERE d.sha256 = asked.sha256) AS runs,
       (SELECT count(*)
          FROM ingest.documents d
         WHERE d.sha256 = asked.sha256
           AND d.status = 'cancelled'
           AND EXISTS (SELECT FROM ingest.document_events e
                        WHERE e.document_id = d.document_id
                          AND e.type = 'document.started')
           AND NOT EXISTS (SELECT FROM ingest.document_events e
                            WHERE e.document_id = d.document_id
                              AND (e.body ->> 'cache_hit')::boolean)) AS cancelled,
       (SELECT count(*) FROM extractor.processed_documents p
         WHERE p.sha256 = asked.sha256) AS answers,
       (SELECT count(*)
          FROM ingest.documents d
          JOIN ingest.document_events e USING (document_id)
         WHERE d.sha256 = asked.sha256
           AND e.type = 'document.started') AS tries
  FROM unnest($1::text[]) AS asked(sha256);
