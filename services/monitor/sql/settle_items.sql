-- How the letters of operations ended. Operations are locked in order: two processes that
-- settle at once would otherwise wait for each other crosswise.
-- $1 replay_ids  $2 outcomes
WITH told AS (
        SELECT i.operation_id, i.position, t.outcome
          FROM unnest($1::uuid[], $2::text[]) AS t (replay_id, outcome)
          JOIN operation_items AS i ON i.replay_id = t.replay_id),
     held AS MATERIALIZED (
        SELECT operation_id
          FROM operations
         WHERE operation_id IN (SELECT operation_id FROM told)
         ORDER BY operation_id
           FOR UPDATE),
     settled AS (
        UPDATE operation_items AS i
           SET outcome = told.outcome,
               settled_at = now()
          FROM told
          JOIN held USING (operation_id)
         WHERE i.operation_id = told.operation_id
           AND i.position = told.position
           AND i.outcome = 'sent'
     RETURNING i.operation_id, i.outcome),
     sums AS (
        SELECT operation_id,
               count(*) FILTER (WHERE outcome = 'done') AS done,
               count(*) FILTER (WHERE outcome = 'already_applied') AS already_applied,
               count(*) FILTER (WHERE outcome = 'withdrawn') AS withdrawn,
               count(*) FILTER (WHERE outcome = 'refailed') AS refailed
          FROM settled
         GROUP BY operation_id)
UPDATE operations AS o
   SET done = o.done + sums.done,
       already_applied = o.already_applied + sums.already_applied,
       withdrawn = o.withdrawn + sums.withdrawn,
       refailed = o.refailed + sums.refailed,
       seq = o.seq + 1,
       next_step_at = least(o.next_step_at, clock_timestamp())
  FROM sums
 WHERE o.operation_id = sums.operation_id;
