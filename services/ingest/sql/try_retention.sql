-- Whether this replica may look for documents whose time is over: one at a time is enough.
SELECT pg_try_advisory_xact_lock(hashtext('retention'), hashtext(current_schema()));
