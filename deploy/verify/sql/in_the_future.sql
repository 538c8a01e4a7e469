-- Times by which something is decided, and that no clock of the database can have given: later
-- than now, an end before its beginning, a lease beyond any.
-- $1 limit
SELECT subject, detail, mark
  FROM (SELECT document_id::text AS subject,
               'released ' || released_at || ', started ' || started_at || ', completed '
                   || completed_at AS detail,
               revision::text AS mark
          FROM ingest.documents
         WHERE greatest(released_at, started_at, completed_at) > now() + interval '2 seconds'
            OR completed_at < started_at
         UNION ALL
        SELECT document_id::text, 'version ' || version || ' stored ' || stored_at, ''
          FROM storage.stored_results
         WHERE stored_at > now() + interval '2 seconds'
         UNION ALL
        SELECT document_id::text,
               concat_ws(' ', 'opened', opened_at, 'decided', decided_at, 'held until',
                         claimed_until),
               version::text
          FROM review.review_items
         WHERE greatest(opened_at, decided_at) > now() + interval '2 seconds'
            OR claimed_until > now() + interval '2 days'
         UNION ALL
        SELECT letter_id::text, 'letter arrived ' || arrived_at, ''
          FROM monitor.dead_letters
         WHERE arrived_at > now() + interval '2 seconds'
         UNION ALL
        SELECT document_id::text, 'lease until ' || held_until, ''
          FROM extractor.leases
         WHERE held_until > now() + interval '2 hours') AS found
 ORDER BY subject, detail
 LIMIT $1;
