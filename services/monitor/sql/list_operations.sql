-- A page of operations, latest first. A null asks for any.
-- $1 state  $2 requested_at  $3 operation_id  $4 limit
SELECT *
  FROM operations
 WHERE ($1::text IS NULL OR state = $1)
   AND ($2::timestamptz IS NULL OR (requested_at, operation_id) < ($2, $3::uuid))
 ORDER BY requested_at DESC, operation_id DESC
 LIMIT $4;
