-- Let the next members of these batches go, urgent ones first and as many as may be under way
-- at a time; a batch of which all have ended is complete, again where a replay had reopened
-- one. One that was complete and is being begun anew is complete no more. No counters are kept,
-- so none can be wrong.
-- $1 batch_ids  $2 at_once
WITH counted AS (
    SELECT m.batch_id,
           count(*) FILTER (WHERE d.rank < 90) AS open,
           count(*) FILTER (WHERE d.rank < 90 AND w.document_id IS NULL) AS under_way,
           count(*) FILTER (WHERE d.status = 'completed') AS completed,
           count(*) FILTER (WHERE d.status = 'duplicate') AS duplicate,
           count(*) FILTER (WHERE d.status = 'failed') AS failed,
           count(*) FILTER (WHERE d.status IN ('cancelled', 'deleted')) AS cancelled
      FROM batch_members m
      JOIN documents d USING (document_id)
      LEFT JOIN waiting w ON w.document_id = m.document_id AND NOT w.ready
     WHERE m.batch_id = ANY ($1::uuid[])
     GROUP BY m.batch_id),
let_go AS (
    UPDATE waiting
       SET ready = true
     WHERE document_id IN (
            SELECT following.document_id
              FROM counted c
             CROSS JOIN LATERAL (
                    SELECT m.document_id
                      FROM batch_members m
                      JOIN waiting w USING (document_id)
                     WHERE m.batch_id = c.batch_id
                       AND NOT w.ready
                     ORDER BY w.priority DESC, m.position
                     LIMIT greatest($2::integer - c.under_way, 0)
                       -- One that is being ended right now settles after us; waiting for it
                       -- while it waits for the batch would be a deadlock.
                       FOR UPDATE OF w SKIP LOCKED) AS following)),
settled AS (
    UPDATE batches b
       SET completed_at = CASE WHEN c.open = 0 THEN now() END,
           revision = b.revision + CASE WHEN c.open = 0 THEN 1 ELSE 0 END
      FROM counted c
     WHERE b.batch_id = c.batch_id
       AND (c.open = 0 OR b.completed_at IS NOT NULL)
    RETURNING b.batch_id, b.owner_id, b.revision, b.rejected)
SELECT s.batch_id, s.owner_id, s.revision, c.completed, c.duplicate, c.failed, c.cancelled,
       jsonb_array_length(s.rejected) AS rejected
  FROM settled s
  JOIN counted c USING (batch_id)
 WHERE c.open = 0;
