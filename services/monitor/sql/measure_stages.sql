-- For how long has the oldest document been standing at each rank that is not an end?
SELECT rank, extract(epoch FROM now() - min(moved_at))::float8 AS oldest_age_s
  FROM documents_seen
 WHERE status IN ('queued', 'processing')
 GROUP BY rank;
