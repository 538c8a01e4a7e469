-- For how long has the oldest document stood where it is, before each of its ends?
SELECT rank, extract(epoch FROM now() - min(moved_at))::float8 AS age_s
  FROM documents_seen
 WHERE rank < 90
 GROUP BY rank;
