-- Documents that had ended, and are under way or otherwise again though nobody sent them back: a
-- failure is left by a replay, a reopening or a sweep that is written down, as often as there
-- are such; a success by a reopening; what was withdrawn by nothing.
-- $1 limit
WITH ends AS (
    SELECT document_id, seq, type, (body ->> 'result_version')::integer AS version,
           lead(type) OVER (PARTITION BY document_id ORDER BY seq) AS next
      FROM ingest.document_events
     WHERE type IN ('document.stored', 'document.failed', 'document.cancelled',
                    'document.deleted'))
SELECT subject, detail, mark
  FROM (SELECT d.document_id::text AS subject,
               'is ' || d.status || ' in run ' || d.run || ', after ' || e.type AS detail,
               d.revision::text AS mark
          FROM ends e
          JOIN ingest.documents d USING (document_id)
         WHERE d.status IN ('queued', 'processing')
               AND e.type = 'document.stored'
               AND e.version > d.replaces_version
            OR e.type = 'document.cancelled' AND d.status NOT IN ('cancelled', 'deleted')
            OR e.type = 'document.deleted' AND d.status <> 'deleted'
         UNION ALL
        SELECT d.document_id::text,
               'is ' || d.status || ', was stored before, and nobody had it read anew',
               d.revision::text
          FROM (SELECT DISTINCT ON (document_id) document_id, type
                  FROM ends
                 ORDER BY document_id, seq) AS first
          JOIN ingest.documents d USING (document_id)
         WHERE first.type = 'document.stored'
           AND d.status IN ('failed', 'cancelled')
           AND d.reopened_at IS NULL
         UNION ALL
        SELECT d.document_id::text,
               'has left a failure ' || f.lefts || ' times, and was sent back ' || b.backs
                   || ' times',
               d.revision::text
          FROM (SELECT document_id, count(*) AS lefts
                  FROM ends
                  JOIN ingest.documents d USING (document_id)
                 WHERE type = 'document.failed'
                   AND CASE WHEN next IS NULL THEN d.status IN ('queued', 'processing')
                            ELSE next = 'document.stored'
                                 AND d.status IN ('completed', 'duplicate') END
                 GROUP BY document_id) AS f
          JOIN ingest.documents d USING (document_id)
         CROSS JOIN LATERAL (
                SELECT (SELECT count(*)
                          FROM monitor.replays r
                          JOIN monitor.dead_letters l USING (letter_id)
                         WHERE l.document_id = d.document_id)
                       -- With their letters their replays are forgotten.
                       + (SELECT count(*)
                            FROM monitor.letters_purged p
                           WHERE p.document_id = d.document_id)
                       + (SELECT count(*)
                            FROM ingest.audit_log a
                           WHERE a.resource = 'document/' || d.document_id
                             AND a.action = 'document_reprocessed')
                       + d.sweeps AS backs) AS b
         WHERE f.lefts > b.backs) AS found
 ORDER BY subject, detail
 LIMIT $1;
