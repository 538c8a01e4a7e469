-- How much waits for a person, how much of it beyond its time, and how long the oldest waits.
SELECT count(*) AS open_items,
       count(*) FILTER (WHERE due_at < now()) AS overdue_items,
       coalesce(extract(epoch FROM now() - min(opened_at)), 0)::double precision AS oldest_age_s
  FROM review_items
 WHERE status IN ('pending', 'in_review');
