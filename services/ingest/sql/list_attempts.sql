-- How each attempt went, the latest first.
-- $1 delivery_id  $2 limit
SELECT run, attempt, at, duration_s, status_code, error, response
  FROM webhook_attempts
 WHERE delivery_id = $1::uuid
 ORDER BY run DESC, attempt DESC
 LIMIT $2::integer;
