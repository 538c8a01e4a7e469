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

role paperline
ask <<'SQL'
ALTER DATABASE paperline OWNER TO paperline;
REVOKE ALL ON DATABASE paperline FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
SQL
for service in extractor ingest monitor review storage; do
    role "paperline_$service"
    ask --command "GRANT CONNECT ON DATABASE paperline TO paperline_$service"
done
