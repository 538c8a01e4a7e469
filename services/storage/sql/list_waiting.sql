-- The next approved versions of a consumer, in the order of their positions. What was erased
-- before anybody got it is left out.
-- $1 position  $2 limit
SELECT document_id, version, owner_id, verdict, approved_at, position, erased_at
  FROM approvals
 WHERE position > $1
   AND erased_at IS NULL
 ORDER BY position
 LIMIT $2;
