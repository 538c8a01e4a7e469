-- Until the commit nobody else does it, and nobody waits for whoever does.
-- $1 name
SELECT pg_try_advisory_xact_lock(hashtextextended('duty ' || $1 || ' of ' || current_schema(), 0));
