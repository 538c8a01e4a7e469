-- What was asked for; its letters are written down step by step.
-- $1 operation_id  $2 kind  $3 selector  $4 arrived_before  $5 reason  $6 requested_by
-- $7 request_key  $8 request_digest  $9 letters_max  $10 rate_per_s  $11 in_flight_max
-- $12 canary
INSERT INTO operations (
       operation_id, kind, selector, arrived_before, reason, requested_by, request_key,
       request_digest, letters_max, rate_per_s, in_flight_max, canary)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
RETURNING *;
