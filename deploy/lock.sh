#!/usr/bin/env bash
# Write every requirements.txt anew from its requirements.in, with hashes and no index address.
# The development lock comes first and constrains the five others: what the tests ran on is
# what the images install. `--upgrade` takes newer versions; without it only what changed moves.
set -euo pipefail
cd "$(dirname "$0")/.."

uv=.venv/bin/uv
command -v "$uv" >/dev/null || uv=uv
export UV_CUSTOM_COMPILE_COMMAND=deploy/lock.sh
options=(--universal --python-version 3.11 --generate-hashes --quiet
         --no-emit-index-url --no-emit-find-links)

"$uv" pip compile "${options[@]}" "$@" requirements-dev.in -o requirements-dev.txt
for folder in services/*/; do
    "$uv" pip compile "${options[@]}" -c requirements-dev.txt \
        "${folder}requirements.in" -o "${folder}requirements.txt"
done
