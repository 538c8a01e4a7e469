-- A page of a consumer's acknowledged batches, newest first.
-- $1 consumer_id  $2 acknowledged_at  $3 batch_id  $4 limit
SELECT *
  FROM handover_batches
 WHERE consumer_id = $1
   AND acknowledged_at IS NOT NULL
   AND ($2::timestamptz IS NULL OR (acknowledged_at, batch_id) < ($2, $3))
 ORDER BY acknowledged_at DESC, batch_id DESC
 LIMIT $4;
