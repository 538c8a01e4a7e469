-- Still at it. Also after the time, as long as nobody has taken it: the work is not lost yet.
-- $1 owner_id  $2 sha256  $3 config  $4 token  $5 lease_s
UPDATE leases
   SET held_until = clock_timestamp() + make_interval(secs => $5)
 WHERE owner_id = $1
   AND sha256 = $2
   AND config = $3
   AND token = $4
RETURNING document_id;
