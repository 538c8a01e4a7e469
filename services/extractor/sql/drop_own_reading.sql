-- The wait is over: nobody needs it any more.
-- $1 owner_id  $2 sha256  $3 config
DELETE FROM own_readings
 WHERE owner_id = $1
   AND sha256 = $2
   AND config = $3;
