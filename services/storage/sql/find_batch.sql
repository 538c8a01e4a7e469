-- One batch of a consumer.
-- $1 consumer_id  $2 batch_id
SELECT *
  FROM handover_batches
 WHERE consumer_id = $1
   AND batch_id = $2;
