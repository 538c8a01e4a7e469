-- How long people have an item in hand until they decide it, by reviewer and over all. What
-- nobody held, the machine decided.
-- $1 days
SELECT decided_by AS reviewer,
       count(*)::integer AS decisions,
       count(*) FILTER (WHERE decided_at >= date_trunc('day', now()))::integer AS today,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds_spent) AS median_s,
       percentile_cont(0.9) WITHIN GROUP (ORDER BY seconds_spent) AS p90_s,
       percentile_cont(0.5) WITHIN GROUP (
           ORDER BY extract(epoch FROM decided_at - first_claimed_at)) AS elapsed_median_s
  FROM review_items
 WHERE decided_at >= now() - make_interval(days => $1)
   AND first_claimed_at IS NOT NULL
 GROUP BY GROUPING SETS ((decided_by), ())
-- The second of them has a row also for nothing.
HAVING count(*) > 0
 ORDER BY decided_by NULLS FIRST;
