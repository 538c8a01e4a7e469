-- Nobody makes or drops a day of an inbox before our session ends: that would wait for a dump,
-- and everybody who takes a message would wait behind it. Shared/ledger's roll_inbox asks for the
-- same locks, and comes again an hour later.
SELECT count(pg_advisory_lock(hashtext('roll_inbox'), hashtext(schemaname::text)))
  FROM pg_tables
 WHERE tablename = 'inbox';
