-- Take the lease of a content, unless somebody holds it. Returns no row then. A lease that ran
-- out is anybody's; a refusal stands for all runs up to its own, so that a replay asks anew.
-- Not now(): this may have waited for a transaction that began later.
-- $1 owner_id  $2 sha256  $3 config  $4 token  $5 document_id  $6 job_id  $7 run  $8 lease_s
INSERT INTO leases AS held
       (owner_id, sha256, config, token, document_id, job_id, run, held_until)
VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + make_interval(secs => $8))
    ON CONFLICT (owner_id, sha256, config) DO UPDATE
   SET token = excluded.token,
       document_id = excluded.document_id,
       job_id = excluded.job_id,
       run = excluded.run,
       held_until = clock_timestamp() + make_interval(secs => $8),
       taken_over = held.refused_for IS NULL,
       refused_for = NULL,
       refused_detail = NULL
 WHERE held.held_until <= clock_timestamp()
    OR held.refused_for IS NOT NULL AND held.run < excluded.run
RETURNING taken_over;
