#!/usr/bin/env bash
# The volume belongs to root when it is new; the server is run by its own user.
set -euo pipefail
chown rabbitmq:rabbitmq /var/lib/rabbitmq
exec "$@"
