-- Consume the queue again, everywhere, unless it is paused for another reason by now.
-- $1 queue  $2 reason
DELETE FROM pauses WHERE queue = $1 AND reason = $2 RETURNING queue;
