-- Documents with a result and without a review item, and nothing that says why: no letter of the
-- order, no pause of its queue.
-- $1 limit  $2 live_s
SELECT d.document_id::text AS subject, d.status || ', and nobody is to look at it' AS detail,
       d.revision::text AS mark
  FROM ingest.documents d
 WHERE d.status IN ('completed', 'duplicate')
   AND d.updated_at <= now() - make_interval(secs => $2)
   AND NOT EXISTS (SELECT FROM review.review_items r WHERE r.document_id = d.document_id)
   AND NOT EXISTS (
        SELECT
          FROM monitor.dead_letters l
         WHERE l.document_id = d.document_id
           AND l.origin_queue = 'review.open')
   AND NOT EXISTS (SELECT FROM monitor.letters_purged p WHERE p.document_id = d.document_id)
   AND NOT EXISTS (SELECT FROM review.pauses p WHERE p.queue = 'review.open')
 ORDER BY subject
 LIMIT $1;
