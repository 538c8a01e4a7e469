#!/usr/bin/env bash
# On the first start: a cluster with a password, the database, and what lies in initdb.d.
set -euo pipefail

as_server() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }

mkdir -p "$PGDATA" /run/postgresql
chown postgres:postgres "$PGDATA" /run/postgresql
if [[ ! -s $PGDATA/PG_VERSION ]]; then
    # As upstream, whose image speaks UTF-8: without it, names with an umlaut are refused.
    as_server initdb --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" \
        --encoding=UTF8 --locale=C.UTF-8 --auth-local=trust --auth-host=scram-sha-256 >/dev/null
    echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
    as_server pg_ctl --wait --options='-c listen_addresses=' start >/dev/null
    as_server createdb "$POSTGRES_DB"
    for script in /docker-entrypoint-initdb.d/*.sh; do
        as_server env POSTGRES_USER=postgres "$script"
    done
    as_server pg_ctl --wait --mode=fast stop >/dev/null
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups "$@" -c 'listen_addresses=*'
