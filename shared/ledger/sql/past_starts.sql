-- How often these jobs have been started before, where that was recorded.
-- $1 consumer  $2 job_ids
SELECT job_id, starts FROM starts WHERE consumer = $1 AND job_id = ANY ($2);
