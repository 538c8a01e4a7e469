-- How far a run is, and that it lives. Nothing comes back when the run is not wanted any more.
-- $1 export_id  $2 run  $3 done  $4 total  $5 lease_s
UPDATE exports
   SET done = $3,
       total = $4,
       claimed_until = now() + make_interval(secs => $5)
 WHERE export_id = $1
   AND run = $2
   AND status = 'running'
RETURNING export_id;
