-- The mark that makes a second copy of a job do nothing. Only a replay of a later run may
-- take over what failed; what is done stays done.
-- $1 consumer  $2 job_ids  $3 runs
INSERT INTO inbox (consumer, job_id, run, outcome)
SELECT $1, job.id, job.run, 'done'
  FROM unnest($2::uuid[], $3::int[]) AS job (id, run)
    ON CONFLICT (consumer, job_id) DO UPDATE
   SET outcome = 'done', run = excluded.run, at = now()
 WHERE inbox.outcome = 'failed' AND inbox.run < excluded.run
RETURNING job_id;
