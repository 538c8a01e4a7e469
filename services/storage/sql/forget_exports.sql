-- Exports that ended long ago: what was asked for may name a vendor.
-- $1 older_than_s
DELETE FROM exports
 WHERE cleared_at < now() - make_interval(secs => $1);
