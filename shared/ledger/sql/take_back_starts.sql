-- Starts that the process lived to see interrupted do not count. Zero for one that was not
-- recorded: the redelivery adds the first that does. In key order, as they were counted.
-- $1 consumer  $2 job_ids
INSERT INTO starts (consumer, job_id, starts)
SELECT $1, job_id, 0
  FROM unnest($2::uuid[]) AS interrupted (job_id)
    ON CONFLICT (consumer, job_id) DO UPDATE
   SET starts = starts.starts - 1, at = now();
