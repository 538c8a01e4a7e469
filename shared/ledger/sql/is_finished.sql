-- Whether jobs need no handler any more, each: done, or failed in this run or a later one.
-- $1 consumers  $2 job_ids  $3 runs
SELECT EXISTS (
       SELECT FROM inbox
        WHERE consumer = asked.consumer
          AND job_id = asked.job_id
          AND (outcome = 'done' OR run >= asked.run)) AS is_finished
  FROM unnest($1::text[], $2::uuid[], $3::int[]) WITH ORDINALITY
       AS asked (consumer, job_id, run, place)
 ORDER BY place;
