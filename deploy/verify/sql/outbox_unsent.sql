-- Messages that a service owes for longer than sending takes, and waits that are over.
-- $1 limit  $2 live_s
SELECT o.subject, o.detail, o.mark
  FROM (SELECT 'extractor.outbox' AS subject, type || ' to ' || routing_key || ' since ' || created_at AS detail,
               id::text AS mark
          FROM extractor.outbox WHERE created_at <= now() - make_interval(secs => $2)
         UNION ALL
        SELECT 'extractor.outbox_later', type || ' to ' || routing_key || ' due ' || available_at,
               id::text
          FROM extractor.outbox_later
         WHERE available_at <= now() - make_interval(secs => $2)
         UNION ALL
        SELECT 'ingest.outbox' AS subject, type || ' to ' || routing_key || ' since ' || created_at AS detail,
               id::text AS mark
          FROM ingest.outbox WHERE created_at <= now() - make_interval(secs => $2)
         UNION ALL
        SELECT 'ingest.outbox_later', type || ' to ' || routing_key || ' due ' || available_at,
               id::text
          FROM ingest.outbox_later
         WHERE available_at <= now() - make_interval(secs => $2)
         UNION ALL
        SELECT 'monitor.outbox' AS subject, type || ' to ' || routing_key || ' since ' || created_at AS detail,
               id::text AS mark
          FROM monitor.outbox WHERE created_at <= now() - make_interval(secs => $2)
         UNION ALL
        SELECT 'monitor.outbox_later', type || ' to ' || routing_key || ' due ' || available_at,
               id::text
          FROM monitor.outbox_later
         WHERE available_at <= now() - make_interval(secs => $2)
         UNION ALL
        SELECT 'review.outbox' AS subject, type || ' to ' || routing_key || ' since ' || created_at AS detail,
               id::text AS mark
          FROM review.outbox WHERE created_at <= now() - make_interval(secs => $2)
         UNION ALL
        SELECT 'review.outbox_later', type || ' to ' || routing_key || ' due ' || available_at,
               id::text
          FROM review.outbox_later
         WHERE available_at <= now() - make_interval(secs => $2)
         UNION ALL
        SELECT 'storage.outbox' AS subject, type || ' to ' || routing_key || ' since ' || created_at AS detail,
               id::text AS mark
          FROM storage.outbox WHERE created_at <= now() - make_interval(secs => $2)
         UNION ALL
        SELECT 'storage.outbox_later', type || ' to ' || routing_key || ' due ' || available_at,
               id::text
          FROM storage.outbox_later
         WHERE available_at <= now() - make_interval(secs => $2)) AS o
 ORDER BY o.subject, o.mark
 LIMIT $1;
