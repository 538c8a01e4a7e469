-- Whether a job needs no handler any more: done, or failed in this run or a later one.
-- $1 consumer  $2 job_id  $3 run
SELECT EXISTS (
    SELECT FROM inbox
     WHERE consumer = $1 AND job_id = $2 AND (outcome = 'done' OR run >= $3));
