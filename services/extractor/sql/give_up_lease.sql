-- The next may begin at once. What was taken over or kept meanwhile is not ours any more.
-- $1 owner_id  $2 sha256  $3 config  $4 token
DELETE FROM leases
 WHERE owner_id = $1
   AND sha256 = $2
   AND config = $3
   AND token = $4;
