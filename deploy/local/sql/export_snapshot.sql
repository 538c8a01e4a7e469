-- What this transaction sees, for others to see the same.
SELECT pg_export_snapshot();
