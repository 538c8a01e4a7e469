-- Still at them. Also after the time, as long as nobody has taken one: the work is not lost yet.
-- $1 owner_ids  $2 sha256s  $3 configs  $4 tokens  $5 lease_s
UPDATE leases
   SET held_until = clock_timestamp() + make_interval(secs => $5)
  FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[])
       AS mine (owner_id, sha256, config, token)
 WHERE leases.owner_id = mine.owner_id
   AND leases.sha256 = mine.sha256
   AND leases.config = mine.config
   AND leases.token = mine.token
RETURNING leases.token;
