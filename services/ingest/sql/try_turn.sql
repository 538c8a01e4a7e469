-- Whether this transaction may let documents in by itself: nobody else counts the places now.
-- Whoever does not get the lock leaves its documents to the releaser.
SELECT pg_try_advisory_xact_lock(hashtext('release'), hashtext(current_schema()));
