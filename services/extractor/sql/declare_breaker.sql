-- The row of a breaker, closed, unless there is one.
-- $1 name
INSERT INTO breakers (name)
VALUES ($1)
    ON CONFLICT (name) DO NOTHING;
