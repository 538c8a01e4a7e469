-- What would be lent next, without lending it. Of each lane the head is looked at: whose it is,
-- which level it needs, overdue or not; the best of the heads is first.
-- $1 reviewer  $2 level  $3 after  $4 amount_min
SELECT item.*, false AS claim_holds
  FROM unnest(ARRAY[$1::text, '']) AS queue (whose)
 CROSS JOIN generate_series(1, $2::integer) AS rights (level)
 CROSS JOIN LATERAL (
       (SELECT r.*, r.rank_key + r.sla_rate * extract(epoch FROM now())::float8 AS score
          FROM review_items r
         WHERE status = 'pending' AND postponed_until IS NULL AND breached_at IS NULL
           AND coalesce(assigned_to, '') = queue.whose
           AND r.level = rights.level
           AND document_id IS DISTINCT FROM $3::uuid
           AND ($4::numeric IS NULL
                OR NOT is_in_own_hand(document_id, owner_id, ranked_on, $1, $4))
         ORDER BY (-rank_key), opened_at, document_id
         LIMIT 1)
        UNION ALL
       (SELECT r.*, r.base AS score
          FROM review_items r
         WHERE status = 'pending' AND postponed_until IS NULL AND breached_at IS NOT NULL
           AND coalesce(assigned_to, '') = queue.whose
           AND r.level = rights.level
           AND document_id IS DISTINCT FROM $3::uuid
           AND ($4::numeric IS NULL
                OR NOT is_in_own_hand(document_id, owner_id, ranked_on, $1, $4))
         ORDER BY (-base), opened_at, document_id
         LIMIT 1)) AS item
 ORDER BY score DESC, opened_at, document_id
 LIMIT 1;
