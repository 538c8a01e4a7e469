-- Documents that have not ended, and that nobody has said anything of for longer than any queue
-- is patient: they are in no queue, no table and no store.
-- $1 since  $2 until  $3 limit
SELECT d.document_id::text AS subject, d.status || ' since ' || d.moved_at AS detail,
       count(*) OVER () AS total
  FROM documents_seen AS d
 WHERE d.accepted_at >= $1
   AND d.accepted_at < $2
   AND d.rank < 90
   AND d.moved_at < now() - interval '49 hours'
   AND NOT EXISTS (
        SELECT 1
          FROM document_facts AS f
         WHERE f.document_id = d.document_id
           AND f.said_at > now() - interval '49 hours')
   AND NOT EXISTS (
        SELECT 1
          FROM dead_letters AS l
         WHERE l.document_id = d.document_id
           AND l.state IN ('open', 'replaying', 'archived'))
 ORDER BY d.moved_at, subject
 LIMIT $3;
