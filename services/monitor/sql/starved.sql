-- Documents that wait although they have waited longest. Of every eight that are let go while
-- others wait, one is the oldest; so when a good many urgent ones have come after it, it has gone,
-- and none that comes later still is begun before it. What is not urgent may be as far ahead as
-- there are places. Only the oldest few are looked at. Who was told to wait is excused, and who
-- may be held by a batch of which something is in hand.
-- $1 since  $2 until  $3 limit
WITH oldest AS MATERIALIZED (
        SELECT d.document_id, d.owner_id, d.accepted_at,
               16 * row_number() OVER (ORDER BY d.accepted_at) + 200 AS fair
          FROM documents_seen AS d
         WHERE d.status = 'queued'
           AND d.rank = 10
           AND d.run = 0
           AND d.priority < 5
           AND d.accepted_at >= $1
           AND d.accepted_at < $2
           AND d.moved_at < now() - interval '30 minutes'
         ORDER BY d.accepted_at
         LIMIT 20)
SELECT o.document_id::text AS subject,
       'accepted ' || o.accepted_at || '; begun since, and accepted later: ' || m.urgent
           || ' urgent, ' || m.others || ' others' AS detail,
       count(*) OVER () AS total
  FROM oldest AS o
  LEFT JOIN LATERAL (
        -- When enough urgent ones had come.
        SELECT u.accepted_at
          FROM documents_seen AS u
         WHERE u.priority = 5
           AND u.accepted_at > o.accepted_at
         ORDER BY u.accepted_at
        OFFSET o.fair
         LIMIT 1) AS enough ON true
 CROSS JOIN LATERAL (
        SELECT count(*) FILTER (
                   WHERE b.priority = 5 AND b.accepted_at > enough.accepted_at) AS urgent,
               count(*) FILTER (WHERE b.priority < 5) AS others
          FROM (SELECT priority, accepted_at
                  FROM documents_seen
                 WHERE accepted_at > o.accepted_at
                   AND rank >= 20
                   AND run = 0
                   AND status NOT IN ('cancelled', 'deleted')
                 ORDER BY accepted_at
                 LIMIT 20000) AS b) AS m
 WHERE (m.urgent >= 25 OR m.others >= o.fair + 2000)
   AND NOT EXISTS (
        SELECT 1
          FROM document_facts AS w
         WHERE w.document_id = o.document_id
           AND w.type = 'document.waiting')
   AND NOT EXISTS (
        SELECT 1
          FROM documents_seen AS s
         WHERE s.owner_id = o.owner_id
           AND s.rank BETWEEN 20 AND 89
           AND s.accepted_at BETWEEN o.accepted_at - interval '5 minutes'
                                 AND o.accepted_at + interval '5 minutes')
 ORDER BY o.accepted_at, subject
 LIMIT $3;
