-- One round of releases at a time, over all replicas: the places counted stay as they are.
SELECT pg_advisory_xact_lock(hashtext('release'), hashtext(current_schema()));
