-- Every message that a service has written down and not sent yet, as it will be sent.
SELECT body FROM ingest.outbox
 UNION ALL SELECT body FROM ingest.outbox_later
 UNION ALL SELECT body FROM ingest.outbox_parked
 UNION ALL SELECT body FROM extractor.outbox
 UNION ALL SELECT body FROM extractor.outbox_later
 UNION ALL SELECT body FROM extractor.outbox_parked
 UNION ALL SELECT body FROM storage.outbox
 UNION ALL SELECT body FROM storage.outbox_later
 UNION ALL SELECT body FROM storage.outbox_parked
 UNION ALL SELECT body FROM review.outbox
 UNION ALL SELECT body FROM review.outbox_later
 UNION ALL SELECT body FROM review.outbox_parked
 UNION ALL SELECT body FROM monitor.outbox
 UNION ALL SELECT body FROM monitor.outbox_later
 UNION ALL SELECT body FROM monitor.outbox_parked;
