-- Items that somebody holds whose claim ended long ago: they wait for nobody.
-- $1 limit
SELECT document_id::text AS subject,
       'held by ' || claimed_by || ' until ' || claimed_until AS detail,
       version || ' ' || claimed_until AS mark
  FROM review.review_items
 WHERE status = 'in_review'
   AND claimed_until < now() - interval '10 minutes'
 ORDER BY subject
 LIMIT $1;
