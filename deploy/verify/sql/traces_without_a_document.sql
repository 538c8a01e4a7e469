-- Documents that somebody remembers, and that are no row any more: not even a tombstone.
-- $1 limit
SELECT t.document_id::text AS subject,
       'no row, and yet ' || string_agg(DISTINCT t.trace, ', ') AS detail,
       '' AS mark
  FROM (SELECT document_id, 'a timeline' AS trace FROM ingest.document_events
         UNION ALL
        SELECT document_id, 'a place in a batch' FROM ingest.batch_members
         UNION ALL
        SELECT document_id, 'a place in the queue' FROM ingest.waiting
         UNION ALL
        SELECT document_id, 'known to the monitor' FROM monitor.documents_seen
         UNION ALL
        SELECT document_id, 'a result' FROM storage.stored_results
         UNION ALL
        SELECT document_id, 'a review item' FROM review.review_items) AS t
 WHERE NOT EXISTS (SELECT FROM ingest.documents d WHERE d.document_id = t.document_id)
 GROUP BY t.document_id
 ORDER BY subject
 LIMIT $1;
