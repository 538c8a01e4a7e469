-- It can never be read: for a while, copies of the content end with the same words unread.
-- $1 owner_id  $2 sha256  $3 config  $4 token  $5 reason  $6 detail  $7 refusal_s
UPDATE leases
   SET token = NULL,
       refused_for = $5,
       refused_detail = $6,
       held_until = clock_timestamp() + make_interval(secs => $7)
 WHERE owner_id = $1
   AND sha256 = $2
   AND config = $3
   AND token = $4;
