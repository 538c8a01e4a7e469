-- One replica at a time walks, from where the last one stopped. `resumed` says that nobody has
-- walked for a while: what was noted before that may be waited for in a queue by now.
-- $1 lease_s  $2 pause_s
UPDATE orphan_walk w
   SET leased_until = now() + make_interval(secs => $1::float8)
 WHERE w.leased_until <= now()
RETURNING w.folder,
          w.walked_at < now() - make_interval(secs => $2::float8) AS resumed;
