-- Somebody is here. Who comes for the first time is of the first level.
-- $1 name
INSERT INTO reviewers AS r (name)
VALUES ($1)
    ON CONFLICT (name) DO UPDATE
   SET seen_at = now()
RETURNING name, level, active, seen_at, 0 AS load;
