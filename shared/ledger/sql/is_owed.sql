-- Whether there is anything to claim, whoever else may be at it.
-- $1 watermark
SELECT EXISTS (SELECT FROM outbox WHERE id > $1);
