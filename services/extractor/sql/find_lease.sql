-- Who stands in the way of reading a content, and for how long yet.
-- $1 owner_id  $2 sha256  $3 config
SELECT document_id, job_id, refused_for, refused_detail,
       greatest(extract(epoch FROM held_until - clock_timestamp()), 0)::float8 AS left_s
  FROM leases
 WHERE owner_id = $1
   AND sha256 = $2
   AND config = $3;
