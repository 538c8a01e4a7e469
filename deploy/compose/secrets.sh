#!/usr/bin/env bash
# Make the secrets of the compose stack, once: `deploy/compose/secrets.sh` writes `.env`, which
# docker compose reads by itself. There is no default for any of them on purpose.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [[ -e .env ]]; then
    echo "compose secrets: .env exists and is kept; a new password would not match the volumes" >&2
    exit 73
fi
umask 077
# Hexadecimal, so that each stands in a URL and in SQL without quoting.
secret() { printf '%s=%s\n' "$1" "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"; }
{
    secret DATABASE_SUPERUSER_PASSWORD
    secret DATABASE_OWNER_PASSWORD
    secret BROKER_TOPOLOGY_PASSWORD
    secret BROKER_PUBLISHER_PASSWORD
    secret GRAFANA_ADMIN_PASSWORD
    secret CURSOR_SECRET
    secret WEBHOOK_SECRET
    for service in EXTRACTOR INGEST MONITOR REVIEW STORAGE; do
        secret "DATABASE_${service}_PASSWORD"
        secret "BROKER_${service}_PASSWORD"
    done
} >.env
echo "compose secrets: written to .env, readable by you only"
