-- Documents whose client is told another state of the review than the reviewers have.
-- $1 limit  $2 live_s
SELECT d.document_id::text AS subject,
       'the item is ' || r.status || ', the client is told ' || coalesce(d.review_status, 'none')
           AS detail,
       d.revision || ' ' || r.version || ' ' || r.turn AS mark
  FROM review.review_items r
  JOIN ingest.documents d USING (document_id)
 WHERE d.status IN ('completed', 'duplicate')
   AND r.status <> 'withdrawn'
   AND d.updated_at <= now() - make_interval(secs => $2)
   AND r.status IS DISTINCT FROM d.review_status
   -- A claim that has ended is given back when somebody looks.
   AND NOT (r.status = 'in_review' AND r.claimed_until < now())
 ORDER BY subject
 LIMIT $1;
