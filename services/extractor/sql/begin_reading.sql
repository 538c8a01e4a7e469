-- For each who comes, the answer there is, or else the right to find one, or else what stands in
-- the way, as one round trip; how it goes stands at the function. One after the other, so that of
-- two with one content the second sees what the first has taken.
-- $1 owner_ids  $2 sha256s  $3 configs  $4 tokens  $5 document_ids  $6 job_ids  $7 runs
-- $8 are_forced  $9 ttl_s  $10 lease_s  $11 degraded_serves
SELECT found.*
  FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::uuid[], $6::uuid[], $7::int[],
              $8::boolean[]) WITH ORDINALITY
       AS comes (owner_id, sha256, config, token, document_id, job_id, run, is_forced, place)
 CROSS JOIN LATERAL begin_reading(owner_id, sha256, config, $9, document_id, job_id, run, token,
                                  $10, is_forced, $11) AS found
 ORDER BY comes.place;
