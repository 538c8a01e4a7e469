-- These jobs have ended with their process alive: they are no suspects.
-- $1 consumer  $2 job_ids
DELETE FROM starts WHERE consumer = $1 AND job_id = ANY ($2);
