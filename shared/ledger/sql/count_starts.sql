-- One more start of each redelivered job. Their first start went unrecorded, hence the 2.
-- $1 consumer  $2 job_ids
INSERT INTO starts (consumer, job_id, starts)
SELECT $1, id, 2 FROM unnest($2::uuid[]) AS id
    ON CONFLICT (consumer, job_id) DO UPDATE
   SET starts = starts.starts + 1, at = now()
RETURNING job_id, starts;
