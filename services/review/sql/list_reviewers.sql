-- Everybody who reviews, with what is in their hands or given to them.
SELECT r.name, r.level, r.active, r.seen_at, coalesce(held.load, 0)::integer AS load
  FROM reviewers r
  LEFT JOIN (
       SELECT held_by, count(*) AS load
         FROM review_items
        WHERE status IN ('pending', 'in_review') AND held_by <> ''
        GROUP BY held_by) AS held
    ON held.held_by = r.name
 ORDER BY r.name;
