-- Urgent documents that waited while others were begun: more of lesser urgency than the few that
-- had waited longest and had their turn. Times are those at which we heard of it, by one clock,
-- and beginnings just after it came belong to what was in hand. Who was told to wait is excused,
-- and so is one before which an earlier one of its owner was begun: their batch may hold it.
-- $1 since  $2 until  $3 limit
WITH urgent AS MATERIALIZED (
        SELECT d.document_id, d.owner_id, d.accepted_at, a.heard_at AS came_at,
               coalesce(b.began_at, now()) AS began_at
          FROM documents_seen AS d
          JOIN document_facts AS a
            ON a.document_id = d.document_id AND a.type = 'document.accepted'
         CROSS JOIN LATERAL (
                SELECT min(f.heard_at) AS began_at
                  FROM document_facts AS f
                 WHERE f.document_id = d.document_id
                   AND f.type = 'document.started') AS b
         WHERE d.priority = 5
           AND d.accepted_at >= $1
           AND d.accepted_at < $2
           AND (b.began_at IS NOT NULL OR d.rank < 20)
           AND coalesce(b.began_at, now()) - a.heard_at > interval '30 seconds'
           AND NOT EXISTS (
                SELECT 1
                  FROM document_facts AS w
                 WHERE w.document_id = d.document_id
                   AND w.type = 'document.waiting')
         ORDER BY coalesce(b.began_at, now()) - a.heard_at DESC
         LIMIT 50)
SELECT u.document_id::text AS subject,
       'behind ' || m.lesser || ' of ' || m.all_begun || ' begun in '
           || round(extract(epoch FROM u.began_at - u.came_at)) || ' s' AS detail,
       count(*) OVER () AS total
  FROM urgent AS u
 CROSS JOIN LATERAL (
        SELECT count(*) AS all_begun,
               count(*) FILTER (WHERE o.priority < 5) AS lesser,
               coalesce(bool_or(o.priority = 5
                                AND o.owner_id = u.owner_id
                                AND o.accepted_at <= u.accepted_at), false) AS may_be_held
          FROM (SELECT f.document_id
                  FROM document_facts AS f
                 WHERE f.type = 'document.started'
                   AND f.detail->>'attempt' = '1'
                   AND f.run = 0
                   AND f.heard_at > u.came_at + interval '10 seconds'
                   AND f.heard_at < u.began_at
                 ORDER BY f.heard_at
                 LIMIT 5000) AS f
          JOIN documents_seen AS o ON o.document_id = f.document_id) AS m
 WHERE m.lesser >= 25
   AND m.lesser * 4 > m.all_begun
   AND NOT m.may_be_held
 ORDER BY m.lesser DESC, subject
 LIMIT $3;
