-- How many would need nobody if every field that counts had to be this sure, and what people
-- made of those. `doubt` is one less the surety of the least sure of them.
-- $1 days  $2 threshold
SELECT count(*)::integer AS items,
       count(*) FILTER (WHERE automatic)::integer AS automatic,
       count(*) FILTER (WHERE passes)::integer AS would_pass,
       count(*) FILTER (WHERE passes AND decided)::integer AS decided,
       count(*) FILTER (WHERE passes AND decided AND status <> 'approved')::integer AS changed
  FROM (SELECT status, automatic,
               decided_by IS NOT NULL AND decided_by <> 'system' AS decided,
               1 - doubt >= $2 AND NOT EXISTS (
                   SELECT
                     FROM jsonb_to_recordset(gates) AS given (gate text)
                    WHERE given.gate NOT IN ('unsure', 'sampled')) AS passes
          FROM review_items
         WHERE opened_at >= now() - make_interval(days => $1)) AS opened;
