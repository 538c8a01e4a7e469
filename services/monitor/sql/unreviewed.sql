-- Documents that have a result, and for which nobody opened a review item, nor failed to.
-- $1 since  $2 until  $3 limit
SELECT d.document_id::text AS subject, d.status AS detail, count(*) OVER () AS total
  FROM documents_seen AS d
 WHERE d.accepted_at >= $1
   AND d.accepted_at < $2
   AND d.status IN ('completed', 'duplicate')
   AND d.ended_at < now() - interval '1 hour'
   -- Whoever was away is still being told what came after.
   AND d.moved_at < now() - interval '10 minutes'
   AND EXISTS (
        SELECT 1
          FROM document_facts AS f
         WHERE f.document_id = d.document_id
           AND f.type = 'document.stored')
   AND NOT EXISTS (
        SELECT 1
          FROM document_facts AS f
         WHERE f.document_id = d.document_id
           AND f.type = 'review.opened')
   AND NOT EXISTS (
        SELECT 1
          FROM dead_letters AS l
         WHERE l.document_id = d.document_id
           AND l.origin_queue = 'review.open')
   AND NOT EXISTS (SELECT 1 FROM letters_purged AS p WHERE p.document_id = d.document_id)
   AND NOT EXISTS (
        SELECT 1 FROM queue_pauses AS q WHERE q.queue = 'review.open' AND q.paused)
 ORDER BY d.ended_at, subject
 LIMIT $3;
