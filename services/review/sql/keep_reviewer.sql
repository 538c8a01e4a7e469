-- What a reviewer says of themselves, or a lead of them; what is not said stays.
-- $1 name  $2 active  $3 level
INSERT INTO reviewers AS r (name, active, level)
VALUES ($1, coalesce($2::boolean, true), coalesce($3::smallint, 1))
    ON CONFLICT (name) DO UPDATE
   SET active = coalesce($2::boolean, r.active),
       level = coalesce($3::smallint, r.level)
RETURNING name, level, active, seen_at, 0 AS load;
