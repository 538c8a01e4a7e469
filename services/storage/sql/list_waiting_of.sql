-- The next approved versions of one owner, in the order of their positions. Apart from those
-- of everybody, so that each has its index.
-- $1 position  $2 limit  $3 owner_id
SELECT document_id, version, owner_id, verdict, approved_at, position, erased_at
  FROM approvals
 WHERE owner_id = $3
   AND position > $1
   AND erased_at IS NULL
 ORDER BY position
 LIMIT $2;
