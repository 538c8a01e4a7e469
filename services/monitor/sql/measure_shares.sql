-- What of the server is in use, by all who use it: connections, but for those that are kept for
-- its owner, or of a role that may have only so many, whichever is scarcer; and transaction ids,
-- of which it stops when the oldest is two billion behind.
SELECT greatest(
           (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::float8
           / (current_setting('max_connections')::int
              - current_setting('superuser_reserved_connections')::int),
           (SELECT max(held.connections::float8 / r.rolconnlimit)
              FROM (SELECT usesysid, count(*) AS connections
                      FROM pg_stat_activity
                     GROUP BY usesysid) AS held
              JOIN pg_roles r ON r.oid = held.usesysid
             WHERE r.rolconnlimit > 0)) AS database_connections,
       (SELECT max(age(datfrozenxid)) FROM pg_database)::float8 / 2147483647
           AS database_transaction_ids;
