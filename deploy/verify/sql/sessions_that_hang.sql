-- Sessions of services that hold a transaction open without working, or have waited for a lock,
-- for longer than any of theirs may.
-- $1 limit
SELECT usename || ' ' || pid AS subject,
       state || coalesce(', waits for ' || wait_event_type, '') || ' since ' || state_change
           AS detail,
       state_change::text AS mark
  FROM pg_stat_activity
 WHERE datname = current_database()
   AND usename LIKE 'paperline%'
   AND application_name <> 'paperline-verify'
   AND (state = 'idle in transaction' AND state_change < now() - interval '5 minutes'
        OR wait_event_type = 'Lock' AND state_change < now() - interval '1 minute')
 ORDER BY subject
 LIMIT $1;
