-- Whoever looked at it last and mends it first: from now on its new job stands for it.
-- $1 letter_id  $2 version  $3 superseded_by  $4 replay_id
UPDATE dead_letters
   SET state = 'superseded',
       superseded_by = $3,
       replay_id = $4,
       settled_at = now(),
       version = version + 1
 WHERE letter_id = $1
   AND version = $2
   AND state = 'open'
RETURNING *;
