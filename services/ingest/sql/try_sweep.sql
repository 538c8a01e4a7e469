-- Whether this replica may sweep: one at a time is enough.
SELECT pg_try_advisory_xact_lock(hashtext('sweep'), hashtext(current_schema()));
