-- Whoever gets the row sends it back; everybody else finds it replaying. What is too old is left:
-- of what its job did, the mark may be gone.
-- $1 letter_id  $2 replay_id  $3 queues  $4 days
UPDATE dead_letters
   SET state = 'replaying',
       version = version + 1,
       replay_id = $2
 WHERE letter_id = $1
   AND state = 'open'
   AND job_id IS NOT NULL
   AND origin_queue = ANY($3::text[])
   AND may_be_replayed(job_id, arrived_at, $4)
RETURNING *;
