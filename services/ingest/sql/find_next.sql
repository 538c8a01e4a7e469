-- Whose turn it is within a priority: each owner's oldest document, owner after owner, from
-- the one behind the last served on; then their second oldest. Each step reads one index
-- entry, however many documents an owner has waiting.
-- $1 priority  $2 count  $3 but_not
WITH RECURSIVE last AS (
    SELECT coalesce((SELECT owner_id FROM rotation WHERE priority = $1::smallint), '')
           AS owner_id),
owners (owner_id, nth, wrapped) AS (
    SELECT owner_id, 0, false FROM last
    UNION ALL
    SELECT found.owner_id, o.nth + 1, found.wrapped
      FROM owners o
     CROSS JOIN LATERAL (
            SELECT min(w.owner_id) AS owner_id
              FROM waiting w
             WHERE w.ready AND w.priority = $1::smallint AND w.owner_id > o.owner_id) AS following
     CROSS JOIN LATERAL (
            SELECT coalesce(following.owner_id,
                            CASE WHEN NOT o.wrapped THEN
                                (SELECT min(w.owner_id)
                                   FROM waiting w
                                  WHERE w.ready AND w.priority = $1::smallint) END) AS owner_id,
                   o.wrapped OR following.owner_id IS NULL AS wrapped) AS found
     WHERE o.nth < $2::integer
       AND found.owner_id IS NOT NULL
       AND NOT (found.wrapped AND found.owner_id > (SELECT owner_id FROM last)))
SELECT own.document_id, o.owner_id
  FROM owners o
 CROSS JOIN LATERAL (
        SELECT w.document_id,
               row_number() OVER (ORDER BY w.accepted_at, w.document_id) AS round
          FROM waiting w
         WHERE w.ready AND w.priority = $1::smallint
           AND w.owner_id = o.owner_id
           AND w.document_id IS DISTINCT FROM $3::uuid
         ORDER BY w.accepted_at, w.document_id
         LIMIT $2::integer) AS own
 WHERE o.nth > 0
 ORDER BY own.round, o.nth
 LIMIT $2::integer;
