-- One replica at a time; the lock ends with its transaction. False: another one is at it.
-- $1 name
SELECT pg_try_advisory_xact_lock(hashtext('review.' || $1::text), hashtext(current_schema()));
