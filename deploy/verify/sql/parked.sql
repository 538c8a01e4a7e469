-- Messages for which the broker had no queue: they are tried again now and then.
-- $1 limit
SELECT p.subject, p.detail, p.mark
  FROM (SELECT 'extractor.outbox_parked' AS subject,
               type || ' to ' || exchange || '/' || routing_key || ': ' || reason AS detail,
               -- Tried again, it is another row.
               exchange || '/' || routing_key AS mark
          FROM extractor.outbox_parked
         UNION ALL
        SELECT 'ingest.outbox_parked' AS subject,
               type || ' to ' || exchange || '/' || routing_key || ': ' || reason AS detail,
               -- Tried again, it is another row.
               exchange || '/' || routing_key AS mark
          FROM ingest.outbox_parked
         UNION ALL
        SELECT 'monitor.outbox_parked' AS subject,
               type || ' to ' || exchange || '/' || routing_key || ': ' || reason AS detail,
               -- Tried again, it is another row.
               exchange || '/' || routing_key AS mark
          FROM monitor.outbox_parked
         UNION ALL
        SELECT 'review.outbox_parked' AS subject,
               type || ' to ' || exchange || '/' || routing_key || ': ' || reason AS detail,
               -- Tried again, it is another row.
               exchange || '/' || routing_key AS mark
          FROM review.outbox_parked
         UNION ALL
        SELECT 'storage.outbox_parked' AS subject,
               type || ' to ' || exchange || '/' || routing_key || ': ' || reason AS detail,
               -- Tried again, it is another row.
               exchange || '/' || routing_key AS mark
          FROM storage.outbox_parked) AS p
 ORDER BY p.subject, p.mark
 LIMIT $1;
