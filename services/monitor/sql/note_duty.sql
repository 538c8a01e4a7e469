-- It is done, with what it is about.
-- $1 name  $2 result
INSERT INTO duties (name, done_at, result)
VALUES ($1, now(), $2)
    ON CONFLICT (name) DO UPDATE
   SET done_at = excluded.done_at, result = excluded.result;
