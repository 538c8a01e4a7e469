-- Lend the export that has waited longest to one process for a while. Who dies with it loses
-- it, which counts as a failure; a further run writes elsewhere, so the two cannot mix.
-- $1 lease_s
UPDATE exports
   SET status = 'running',
       run = run + 1,
       failures = failures + (status = 'running')::int,
       done = 0,
       started_at = coalesce(started_at, now()),
       claimed_until = now() + make_interval(secs => $1)
 WHERE export_id = (
        SELECT export_id
          FROM exports
         WHERE status IN ('waiting', 'running')
           AND (claimed_until IS NULL OR claimed_until < now())
         ORDER BY created_at
         LIMIT 1
           FOR UPDATE SKIP LOCKED)
RETURNING *;
