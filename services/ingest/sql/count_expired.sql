-- How many documents of each class have had their time, and how many of those are kept all the
-- same: held, or in a reviewer's hand. A document counts for the longest of its classes.
-- $1 tags  $2 days  $3 default_days  $4 shortest_days  $5 classes
SELECT coalesce(own.class, 'default') AS class,
       count(*) FILTER (WHERE d.hold_since IS NULL
                          AND d.review_status IS DISTINCT FROM 'in_review') AS due,
       count(*) FILTER (WHERE d.hold_since IS NOT NULL) AS on_hold,
       count(*) FILTER (WHERE d.hold_since IS NULL
                          AND d.review_status = 'in_review') AS in_review,
       min(d.completed_at) AS oldest_completed_at
  FROM documents d
  LEFT JOIN LATERAL (
        SELECT given.class, given.days
          FROM unnest($1::text[], $2::integer[], $5::text[]) AS given(tag, days, class)
         WHERE given.tag = ANY (d.tags)
         ORDER BY given.days DESC
         LIMIT 1) AS own ON true
 WHERE d.completed_at < now() - make_interval(days => $4::integer)
   AND d.status <> 'deleted'
   AND d.completed_at < now() - make_interval(days => coalesce(own.days, $3::integer))
 GROUP BY 1
 ORDER BY 1;
