#!/usr/bin/env bash
# Roles of the database, made on its first start: one owner that migrates, one login per service
# that may do nothing until a migration grants it the tables of its own schema.
set -euo pipefail

role() {
    psql --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname paperline \
        --set role="$1" --set password="$2" <<'SQL'
CREATE ROLE :"role" LOGIN PASSWORD :'password' CONNECTION LIMIT 60;
SQL
}

role paperline "$DATABASE_OWNER_PASSWORD"
for service in EXTRACTOR INGEST MONITOR REVIEW STORAGE; do
    password="DATABASE_${service}_PASSWORD"
    role "paperline_${service,,}" "${!password}"
done
psql --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname paperline <<'SQL'
ALTER DATABASE paperline OWNER TO paperline;
REVOKE ALL ON DATABASE paperline FROM PUBLIC;
GRANT CONNECT ON DATABASE paperline TO
    paperline_extractor, paperline_ingest, paperline_monitor, paperline_review,
    paperline_storage;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
SQL
