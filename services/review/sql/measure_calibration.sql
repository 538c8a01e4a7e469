-- How sure the machine was of values, in tenths, and whether people who decided left them as
-- they were. Where a person's value stands, the machine's is kept beside it.
-- $1 days
SELECT least(floor(read.confidence * 10), 9) / 10 AS floor,
       count(*)::integer AS values,
       count(*) FILTER (WHERE read.is_right)::integer AS right,
       avg(read.confidence) AS confidence
  FROM review_items i
 CROSS JOIN LATERAL (
       SELECT coalesce((f.machine ->> 'confidence')::double precision, f.confidence)
                  AS confidence,
              f.machine IS NULL OR (f.machine ->> 'value') IS NOT DISTINCT FROM f.value
                  AS is_right
         FROM extracted_fields f
        WHERE f.document_id = i.document_id
          -- What nobody read, nobody was sure of.
          AND coalesce(f.machine ->> 'value', CASE WHEN f.machine IS NULL THEN f.value END)
              IS NOT NULL
          AND (f.machine IS NOT NULL OR f.source IS DISTINCT FROM 'human')) AS read
 WHERE i.decided_at >= now() - make_interval(days => $1)
   AND i.status IN ('approved', 'corrected')
   AND i.decided_by <> 'system'
 GROUP BY 1
 ORDER BY 1;
