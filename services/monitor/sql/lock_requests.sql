-- Two who ask at once must see each other, or both get the same letters.
SELECT pg_advisory_xact_lock(hashtext('operations of ' || current_schema()));
