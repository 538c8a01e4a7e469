#!/usr/bin/env bash
# Roles of the database, made on its first start: one owner that migrates, one login per service
# that may do nothing until a migration grants it the tables of its own schema.
set -euo pipefail

ask() { psql --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname paperline "$@"; }

role() {
    ask --set role="$1" --set password="$(<"/run/secrets/$1")" <<'SQL'
CREATE ROLE :"role" LOGIN PASSWORD :'password' CONNECTION LIMIT 60;
SQL
}

# Whoever enters with its password holds nothing for longer, by whatever way.
limit() {
    ask --command "ALTER ROLE $1 SET statement_timeout = '60s'"
    ask --command "ALTER ROLE $1 SET idle_in_transaction_session_timeout = '60s'"
    ask --command "ALTER ROLE $1 SET lock_timeout = '30s'"
}

role paperline
ask --command "ALTER ROLE paperline CONNECTION LIMIT 20"
ask <<'SQL'
ALTER DATABASE paperline OWNER TO paperline;
REVOKE ALL ON DATABASE paperline FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
SQL
# Whoever verifies the system reads what migrations let it read and changes nothing.
role paperline_reader
ask <<'SQL'
GRANT pg_read_all_stats TO paperline_reader;
ALTER ROLE paperline_reader SET default_transaction_read_only = on;
SQL
for service in extractor ingest monitor review storage; do
    role "paperline_$service"
done
# Whoever reads may keep the others waiting as well as whoever writes.
for service in extractor ingest monitor reader review storage; do
    limit "paperline_$service"
    ask --command "GRANT CONNECT ON DATABASE paperline TO paperline_$service"
done
