-- Whether this was said after all that was said of the queue before.
-- $1 queue  $2 told_by
INSERT INTO steerings (queue, told_by)
VALUES ($1, $2)
    ON CONFLICT (queue) DO UPDATE
   SET told_by = excluded.told_by, at = now()
 WHERE steerings.told_by < excluded.told_by
RETURNING queue;
