-- Write down how an attempt went and what becomes of its delivery. Whoever comes back after the
-- lease was given to another changes nothing.
-- $1 delivery_id  $2 lease_id  $3 state  $4 retry_in_s  $5 duration_s  $6 status_code  $7 error
-- $8 response
WITH settled AS (
    UPDATE webhook_deliveries
       SET state = $3::text,
           lease_id = NULL,
           due_at = now() + make_interval(secs => $4::double precision),
           settled_at = CASE WHEN $4::double precision IS NULL THEN now() END
     WHERE delivery_id = $1::uuid
       AND lease_id = $2::uuid
    RETURNING delivery_id, run, attempt)
INSERT INTO webhook_attempts
       (delivery_id, run, attempt, duration_s, status_code, error, response)
SELECT delivery_id, run, attempt, $5::double precision, $6::integer, $7::text, $8::text
  FROM settled
RETURNING delivery_id;
