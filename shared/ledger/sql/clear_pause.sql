-- Consume the queue again, everywhere.
-- $1 queue
DELETE FROM pauses WHERE queue = $1 RETURNING reason;
