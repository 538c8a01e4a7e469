-- What our own engine has made of this content already.
-- $1 owner_id  $2 sha256  $3 config
SELECT reading
  FROM own_readings
 WHERE owner_id = $1
   AND sha256 = $2
   AND config = $3;
