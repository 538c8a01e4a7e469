"""Is this stack in good shape, and is it as closed as it claims to be?

Every line is measured, not read from a file of ours: listening sockets come from the kernel,
rights from the database, offsets from a clock comparison. A finding that needs a hand is
marked and makes the command fail; one that is worth knowing is marked and does not.
"""

import asyncio
import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from deploy.local import (
    backup,
    broker_api,
    health,
    packages,
    ports,
    processes,
    servers,
    services,
    sockets,
    tls,
)
from deploy.local.broker_node import EPMD
from deploy.local.credentials import SERVICES
from deploy.local.endpoints import Endpoints, endpoints, has_private_broker
from deploy.local.errors import StackError
from deploy.local.health import Finding, bad, good_if, note
from deploy.local.nodes import NODES
from deploy.local.provision import connect
from deploy.local.report import say
from deploy.local.state import State, read_json
from shared.addresses import Plaintext, hosts_of, is_closed, is_loopback, unsafe_addresses
from shared.database.durability import lost_on_a_crash

DISK_FREE_MIN = 2 * 1024**3
CLOCK_OFFSET_MAX_S = 1.0
# What the design was proven on; older ones lack at-least-once dead-lettering.
BROKER_VERSION_MIN, DATABASE_VERSION_MIN = (3, 10), 15
SECRET_LENGTH_MIN = 24
PLAINTEXT = "PAPERLINE_PLAINTEXT_HOSTS"


def examine(state: State) -> int:
    """0 when nothing needs a hand."""
    examinations: Mapping[str, Callable[[State], list[Finding]]] = {
        "machine": _machine,
        "secrets": _secrets,
        "binds": _binds,
        "ways": _ways,
        "services": _readiness,
        "broker": _broker,
        "database": _database,
        "work": health.work,
    }
    findings = []
    for title, examination in examinations.items():
        say(title)
        try:
            found = examination(state)
        except StackError as error:
            found = [bad(str(error))]
        for one in found:
            say(f"  {one.mark.value} {one.text}")
        findings += found
    say(health.summary(findings))
    return 1 if any(one.mark is health.Mark.BAD for one in findings) else 0


def _machine(state: State) -> list[Finding]:
    postgres, rabbitmq = servers.postgres_programs(), servers.rabbitmq_programs()
    current = packages.packages_are_current()
    free = shutil.disk_usage(state.root if state.root.exists() else "/").free
    return [
        good_if(
            current, f"Python packages {'as' if current else 'NOT as'} in requirements-dev.txt"
        ),
        good_if(postgres is not None, f"PostgreSQL programs: {postgres or 'not found'}"),
        good_if(rabbitmq is not None, f"RabbitMQ programs: {rabbitmq or 'not found'}"),
        good_if(free > DISK_FREE_MIN, f"disk: {free / 1024**3:.1f} GiB free at {state.root}"),
    ]


def _secrets(state: State) -> list[Finding]:
    if not (state.root / "secrets.json").exists():
        return [bad("none: this stack was never started (./paperline up)")]
    files = [state.root / name for name in ("secrets.json", "key", "publisher")]
    open_ones = [file.name for file in files if file.exists() and file.stat().st_mode & 0o077]
    text = f"readable by others: {', '.join(open_ones)}" if open_ones else "owner only"
    known = read_json(state.root / "secrets.json")
    weak = sorted(name for name, text in known.items() if len(text) < SECRET_LENGTH_MIN)
    made = f"too short: {', '.join(weak)}" if weak else f"{len(known)} generated, none short"
    return [good_if(not open_ones, f"files: {text}"), good_if(not weak, f"keys: {made}")]


def _binds(state: State) -> list[Finding]:
    findings = []
    for component in (*NODES, EPMD, *SERVICES):
        pids = processes.family(state, component)
        if not pids:
            continue
        addresses = sockets.listening(pids)
        public = [address for address in addresses if not sockets.is_loopback(address)]
        users = {Path(f"/proc/{pid}").stat().st_uid for pid in pids}
        text = f"{component} (uid {', '.join(map(str, sorted(users)))}) listens on "
        findings.append(good_if(not public, text + (", ".join(addresses) or "nothing")))
    return findings


def _ways(state: State) -> list[Finding]:
    """What a service would be refused for, and what it is allowed because somebody said so."""
    reach, allowed = endpoints(state), Plaintext.named(os.environ.get(PLAINTEXT, ""))
    told = {
        "database": reach.database["ingest"],
        "broker": reach.amqp["ingest"],
        "broker's management API": reach.broker_api["topology"],
        "object store": reach.blobs.get("PAPERLINE_S3_ENDPOINT", ""),
    }
    spoken = "TLS" if tls.scheme() == "https" else "plain, on this machine"
    findings = [good_if(True, f"APIs and ops ports: {spoken}")]
    findings += [_way(name, url, allowed) for name, url in told.items() if url]
    findings += [bad(one) for one in unsafe_addresses(told, allowed)]
    believed = os.environ.get("PAPERLINE_TRUSTED_PROXIES") or "nobody"
    return [*findings, good_if(True, f"X-Forwarded-… is believed from {believed}")]


def _way(name: str, url: str, allowed: Plaintext) -> Finding:
    hosts = hosts_of(url)
    where = ", ".join(hosts) or "a socket of this machine"
    if is_closed(url):
        return good_if(True, f"{name} at {where}: TLS, verified")
    if all(is_loopback(host) for host in hosts):
        return good_if(True, f"{name} at {where}: plain, on this machine")
    if all(is_loopback(host) or allowed.covers(host) for host in hosts):
        return note(f"{name} at {where}: plain, allowed by {PLAINTEXT}")
    return bad(f"{name} at {where}: plain, and others are on the way")


def _readiness(state: State) -> list[Finding]:
    known = ports.remembered(state)
    findings = []
    for service in SERVICES:
        port = known.get(f"{service}_ops")
        good, text = services.readiness(port) if port else (False, "never started")
        findings.append(good_if(good, f"{service}: {'ready' if good else text}"))
    return findings


def _broker(state: State) -> list[Finding]:
    reach = endpoints(state)
    overview = broker_api.get(reach.broker_api["topology"], "overview")
    version = str(overview["rabbitmq_version"])
    told = tuple(int(part) for part in version.split(".")[:2])
    findings = [
        good_if(
            told >= BROKER_VERSION_MIN, f"RabbitMQ {version}, {overview['erlang_version']}"
        ),
        _topology(reach),
    ]
    if has_private_broker():
        users = {user["name"] for user in broker_api.get(reach.broker_api["admin"], "users")}
        findings.append(good_if("guest" not in users, f"users: {', '.join(sorted(users))}"))
    return findings


def _topology(reach: Endpoints) -> Finding:
    variables = {
        "PAPERLINE_TOPOLOGY_AMQP_URL": reach.amqp["topology"],
        "PAPERLINE_TOPOLOGY_API_URL": reach.broker_api["topology"],
    }
    try:
        services.run_module(["shared.topology", "verify"], variables)
    except StackError as error:
        return bad(f"queues are not as the table says: {str(error).splitlines()[-1]}")
    return good_if(True, "queues, dead-letter exchanges and bindings are as the table says")


def _database(state: State) -> list[Finding]:
    return [*asyncio.run(_ask_database(endpoints(state))), _backup(state)]


def _backup(state: State) -> Finding:
    last = backup.last_backup(state)
    if not last:
        return note(f"no backup yet: ./paperline{state.named} backup FOLDER")
    text = f"last backup: {last['taken_at']}, in {last['folder']}"
    return good_if(True, text) if Path(last["folder"]).is_dir() else note(f"{text}, now gone")


async def _ask_database(reach: Endpoints) -> list[Finding]:
    connection = await connect(reach.database_owner)
    try:
        version = await connection.fetchval("SHOW server_version")
        lost = await lost_on_a_crash(connection)
        before = time.time()
        now = await connection.fetchval("SELECT extract(epoch FROM clock_timestamp())::float8")
        offset = abs(now - (before + time.time()) / 2)
        strong = await connection.fetch(
            "SELECT rolname FROM pg_roles WHERE rolname LIKE 'paperline%' AND rolsuper"
        )
        roles = await connection.fetch(
            "SELECT rolname FROM pg_roles WHERE rolcanlogin ORDER BY 1"
        )
    finally:
        await connection.close()
    return [
        good_if(
            int(version.split(".")[0]) >= DATABASE_VERSION_MIN,
            f"PostgreSQL {version}",
        ),
        *([bad(one) for one in lost] or [good_if(True, "what is committed outlives a crash")]),
        good_if(offset < CLOCK_OFFSET_MAX_S, f"clock: {offset * 1000:.0f} ms from ours"),
        good_if(not strong, f"roles: {', '.join(role['rolname'] for role in roles)}"),
    ]
