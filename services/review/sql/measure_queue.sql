-- How much waits for a person, and for how long the oldest has waited.
SELECT count(*) AS open_items,
       coalesce(extract(epoch FROM now() - min(opened_at)), 0)::double precision AS oldest_age_s
  FROM review_items
 WHERE status IN ('pending', 'in_review');
