-- When was it done last, what came of it, and is it time again?
-- $1 name  $2 every_s
SELECT result, done_at, done_at <= now() - make_interval(secs => $2) AS is_due
  FROM duties
 WHERE name = $1;
