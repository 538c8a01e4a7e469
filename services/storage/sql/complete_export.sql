-- The file is whole and may be fetched until it expires. Not when the run was cancelled or
-- lost meanwhile: then what it wrote is nobody's.
-- $1 export_id  $2 run  $3 done  $4 parts  $5 size_bytes  $6 sha256  $7 keep_s
UPDATE exports
   SET status = 'completed',
       done = $3,
       total = $3,
       parts = $4,
       size_bytes = $5,
       sha256 = $6,
       claimed_until = NULL,
       ended_at = now(),
       expires_at = now() + make_interval(secs => $7)
 WHERE export_id = $1
   AND run = $2
   AND status = 'running'
RETURNING export_id;
