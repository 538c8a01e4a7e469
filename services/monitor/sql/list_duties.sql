-- What came of each the last time, and how long ago that was.
SELECT name, result, done_at, extract(epoch FROM now() - done_at)::float8 AS age_s
  FROM duties
 ORDER BY name;
