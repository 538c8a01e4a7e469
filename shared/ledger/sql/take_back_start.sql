-- A start that the process lived to see interrupted does not count. Zero for one that was not
-- recorded: the redelivery adds the first that does.
-- $1 consumer  $2 job_id
INSERT INTO starts (consumer, job_id, starts)
VALUES ($1, $2, 0)
    ON CONFLICT (consumer, job_id) DO UPDATE
   SET starts = starts.starts - 1, at = now();
