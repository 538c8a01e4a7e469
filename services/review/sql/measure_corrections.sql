-- Which values people had to correct, and how long the documents took where they did. Rows of
-- lists are counted under the list.
-- $1 days  $2 limit
SELECT regexp_replace(f.path, '\.[0-9]+(?=\.|$)', '[]', 'g') AS field,
       count(*)::integer AS corrections,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY i.seconds_spent) AS median_s,
       percentile_cont(0.9) WITHIN GROUP (ORDER BY i.seconds_spent) AS p90_s
  FROM review_items i
  JOIN extracted_fields f USING (document_id)
 WHERE i.decided_at >= now() - make_interval(days => $1)
   AND i.first_claimed_at IS NOT NULL
   AND f.status = 'corrected'
 GROUP BY 1
 ORDER BY corrections DESC, field
 LIMIT $2;
