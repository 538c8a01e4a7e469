-- Somebody who reviews, if there is anybody of this name.
-- $1 name
SELECT name, level, active, seen_at, 0 AS load
  FROM reviewers
 WHERE name = $1;
