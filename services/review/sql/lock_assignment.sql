-- Who gives out items takes turns until the commit: two who count at the same time would both
-- find the same reviewer to have the fewest.
SELECT pg_advisory_xact_lock(hashtext('review.assignment'), hashtext(current_schema()));
