-- Operations whose sums differ from what became of their letters, one by one.
-- $1 limit
SELECT o.operation_id::text AS subject,
       'says ' || s.said || ' letters have come to an end, and ' || i.ended || ' have' AS detail,
       o.seq || ' ' || o.version AS mark
  FROM monitor.operations o
 CROSS JOIN LATERAL (
        SELECT o.done + o.already_applied + o.withdrawn + o.refailed + o.skipped + o.applied
               AS said) AS s
 CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE outcome NOT IN ('waiting', 'sent')) AS ended,
               count(*) AS items
          FROM monitor.operation_items i
         WHERE i.operation_id = o.operation_id) AS i
 WHERE s.said <> i.ended
    OR o.prepared AND o.total <> i.items
 ORDER BY subject
 LIMIT $1;
