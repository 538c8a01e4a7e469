-- Who can be given an item, with how many they have; who has waited longest comes first.
-- $1 level  $2 seen_within_s
SELECT r.name, r.level, r.active, r.seen_at, coalesce(held.load, 0)::integer AS load
  FROM reviewers r
  LEFT JOIN (
       SELECT held_by, count(*) AS load
         FROM review_items
        WHERE status IN ('pending', 'in_review') AND held_by <> ''
        GROUP BY held_by) AS held
    ON held.held_by = r.name
 WHERE r.active
   AND r.level >= $1::smallint
   AND r.seen_at > now() - make_interval(secs => $2)
 ORDER BY r.assigned_at NULLS FIRST, r.name;
