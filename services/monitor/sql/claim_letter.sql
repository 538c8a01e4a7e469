-- Whoever gets the row sends it back; everybody else finds it replaying.
-- $1 letter_id  $2 replay_id  $3 queues
UPDATE dead_letters
   SET state = 'replaying',
       version = version + 1,
       replay_id = $2
 WHERE letter_id = $1
   AND state = 'open'
   AND job_id IS NOT NULL
   AND origin_queue = ANY($3::text[])
RETURNING *;
