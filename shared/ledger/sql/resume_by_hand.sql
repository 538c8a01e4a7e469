-- Take from the queue again, whatever it was paused for.
-- $1 queue
DELETE FROM pauses WHERE queue = $1 RETURNING reason;
