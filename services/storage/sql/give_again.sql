-- The batch that a consumer was given and has not acknowledged. The consumer is held.
-- $1 consumer_id
UPDATE handover_batches
   SET times_given = times_given + 1
 WHERE consumer_id = $1
   AND acknowledged_at IS NULL
RETURNING *;
