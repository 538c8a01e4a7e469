-- The answer there is, or else the right to find one, or else what stands in the way, as one round
-- trip; how it goes stands at the function.
-- $1 owner_id  $2 sha256  $3 config  $4 ttl_s  $5 document_id  $6 job_id  $7 run  $8 token
-- $9 lease_s  $10 is_forced  $11 degraded_serves
SELECT *
  FROM begin_reading($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);
