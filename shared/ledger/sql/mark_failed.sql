-- The mark of a final failure. No row back means that somebody has finished it meanwhile.
-- $1 consumer  $2 job_id  $3 run
INSERT INTO inbox (consumer, job_id, run, outcome)
VALUES ($1, $2, $3, 'failed')
    ON CONFLICT (consumer, job_id) DO UPDATE
   SET run = excluded.run, at = now()
 WHERE inbox.outcome = 'failed' AND inbox.run < excluded.run
RETURNING job_id;
