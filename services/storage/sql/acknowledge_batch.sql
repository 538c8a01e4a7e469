-- The receipt of a batch, and the consumer's position behind it. Nothing comes back when it
-- has been acknowledged before.
-- $1 consumer_id  $2 batch_id  $3 acknowledged_by
WITH receipt AS (
    UPDATE handover_batches
       SET acknowledged_at = now(),
           acknowledged_by = $3
     WHERE consumer_id = $1
       AND batch_id = $2
       AND acknowledged_at IS NULL
    RETURNING *
), moved AS (
    UPDATE consumers c
       SET position = receipt.last_position
      FROM receipt
     WHERE c.consumer_id = receipt.consumer_id
)
SELECT * FROM receipt;
