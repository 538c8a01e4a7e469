-- Lend the most urgent free item to one reviewer for a while. The lanes are taken in the order
-- of their heads, and in a lane the first row that nobody is just taking: SKIP LOCKED lets two
-- reviewers ask in the same instant and get two different items, neither waiting. Where two persons
-- are asked for, nobody is lent what is in his own hand.
-- $1 reviewer  $2 level  $3 lease_s  $4 amount_min
WITH heads AS (
    SELECT queue.whose, rights.level, head.late, head.score, head.opened_at
      FROM unnest(ARRAY[$1::text, '']) AS queue (whose)
     CROSS JOIN generate_series(1, $2::integer) AS rights (level)
     CROSS JOIN LATERAL (
           (SELECT false AS late, opened_at,
                   rank_key + sla_rate * extract(epoch FROM now())::float8 AS score
              FROM review_items
             WHERE status = 'pending' AND postponed_until IS NULL AND breached_at IS NULL
               AND coalesce(assigned_to, '') = queue.whose
               AND review_items.level = rights.level
               AND ($4::numeric IS NULL
                    OR NOT is_in_own_hand(document_id, owner_id, ranked_on, $1, $4))
             ORDER BY (-rank_key), opened_at, document_id
             LIMIT 1)
            UNION ALL
           (SELECT true, opened_at, base
              FROM review_items
             WHERE status = 'pending' AND postponed_until IS NULL AND breached_at IS NOT NULL
               AND coalesce(assigned_to, '') = queue.whose
               AND review_items.level = rights.level
               AND ($4::numeric IS NULL
                    OR NOT is_in_own_hand(document_id, owner_id, ranked_on, $1, $4))
             ORDER BY (-base), opened_at, document_id
             LIMIT 1)) AS head)
UPDATE review_items
   SET status = 'in_review',
       claimed_by = $1,
       claimed_until = now() + make_interval(secs => $3),
       automatic = false
 WHERE document_id = (
        SELECT free.document_id
          FROM (SELECT * FROM heads ORDER BY score DESC, opened_at) AS lane
         CROSS JOIN LATERAL (
                SELECT timely.document_id
                  FROM (SELECT document_id
                          FROM review_items
                         WHERE NOT lane.late
                           AND status = 'pending'
                           AND postponed_until IS NULL
                           AND breached_at IS NULL
                           AND coalesce(assigned_to, '') = lane.whose
                           AND review_items.level = lane.level
                           AND ($4::numeric IS NULL
                                OR NOT is_in_own_hand(document_id, owner_id, ranked_on, $1, $4))
                         ORDER BY (-rank_key), opened_at, document_id
                         LIMIT 1
                           FOR UPDATE SKIP LOCKED) AS timely
                 UNION ALL
                SELECT overdue.document_id
                  FROM (SELECT document_id
                          FROM review_items
                         WHERE lane.late
                           AND status = 'pending'
                           AND postponed_until IS NULL
                           AND breached_at IS NOT NULL
                           AND coalesce(assigned_to, '') = lane.whose
                           AND review_items.level = lane.level
                           AND ($4::numeric IS NULL
                                OR NOT is_in_own_hand(document_id, owner_id, ranked_on, $1, $4))
                         ORDER BY (-base), opened_at, document_id
                         LIMIT 1
                           FOR UPDATE SKIP LOCKED) AS overdue) AS free
         LIMIT 1)
RETURNING *, (claimed_until >= now()) IS TRUE AS claim_holds;
