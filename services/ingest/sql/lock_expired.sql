-- Documents that ended so long ago that they are to be erased. Of the classes whose tag a
-- document has the longest counts, else the default. What a person has in hand stays.
-- $1 tags  $2 days  $3 default_days  $4 shortest_days  $5 limit
SELECT d.document_id
  FROM documents d
 WHERE d.completed_at < now() - make_interval(days => $4::integer)
   AND d.status <> 'deleted'
   AND d.hold_since IS NULL
   AND d.review_status IS DISTINCT FROM 'in_review'
   AND d.completed_at < now() - make_interval(days => coalesce(
           (SELECT max(class.days)
              FROM unnest($1::text[], $2::integer[]) AS class(tag, days)
             WHERE class.tag = ANY (d.tags)),
           $3::integer))
 ORDER BY d.completed_at
 LIMIT $5::integer
   FOR UPDATE OF d SKIP LOCKED;
