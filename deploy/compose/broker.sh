#!/usr/bin/env bash
# Users of the broker, written as definitions before it starts: only the topology job may
# configure; a service reads its own queues and writes to the exchanges; the account `guest`
# is never made. Only ingest may say that a document was accepted, cancelled or deleted, and only
# ingest writes to the default exchange: it answers. paperline_publisher is for programs outside:
# it hands documents in and reads the queues that the broker has named for it.
set -euo pipefail

file=/etc/rabbitmq/paperline-definitions.json
owned='^(?!document\\\\.(accepted|cancelled|deleted)$).*$'
written='^(jobs|events|dead|delay\\\\.[0-9]+)$'

user() { printf '{"name":"%s","password":"%s","tags":"%s"}' "$1" "$2" "$3"; }
may() {
    printf '{"user":"%s","vhost":"paperline","configure":"%s","write":"%b","read":"%b"}' "$@"
}
says() {
    printf '{"user":"%s","vhost":"paperline","exchange":"events","write":"%b","read":".*"}' "$@"
}

users=$(user paperline_topology "$BROKER_TOPOLOGY_PASSWORD" administrator)
rights=$(may paperline_topology '.*' '.*' '.*')
topics=''
for service in extractor ingest monitor review storage; do
    password="BROKER_${service^^}_PASSWORD"
    name="paperline_$service"
    read='^'$service'\\\\.[a-z_-]+$'
    tags=''
    [[ $service == monitor ]] && read='^(monitor\\\\.[a-z_-]+|.+\\\\.dead|unroutable)$' tags=monitoring
    users+=",$(user "$name" "${!password}" "$tags")"
    writes=$written
    [[ $service == ingest ]] && writes='^(jobs|events|dead|delay\\\\.[0-9]+|amq\\\\.default)$'
    rights+=",$(may "$name" '^$' "$writes" "$read")"
    [[ $service == ingest ]] || topics+="${topics:+,}$(says "$name" "$owned")"
done

users+=",$(user paperline_publisher "$BROKER_PUBLISHER_PASSWORD" '')"
rights+=",$(may paperline_publisher '^amq[.]gen-' '^ingest$' '^amq[.]gen-')"

umask 077
printf '{"vhosts":[{"name":"paperline"}],"users":[%s],"permissions":[%s],"topic_permissions":[%s]}\n' \
    "$users" "$rights" "$topics" >"$file"
printf '%s\n' "load_definitions = $file" 'vm_memory_high_watermark.relative = 0.6' \
    'max_message_size = 1048576' >/etc/rabbitmq/conf.d/20-paperline.conf
chown -R rabbitmq:rabbitmq "$file" /etc/rabbitmq/conf.d

unset "${!BROKER_@}"
exec docker-entrypoint.sh rabbitmq-server
