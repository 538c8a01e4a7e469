"""Is this stack in good shape, and is it as closed as it claims to be?

Every line is measured, not read from a file of ours: listening sockets come from the kernel,
rights from the database, offsets from a clock comparison. A finding that needs a hand is
marked and makes the command fail.
"""

import asyncio
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from deploy.local import broker_api, packages, ports, processes, servers, services, sockets
from deploy.local.credentials import SERVICES
from deploy.local.endpoints import Endpoints, endpoints, has_private_broker
from deploy.local.errors import StackError
from deploy.local.nodes import NODES
from deploy.local.provision import connect
from deploy.local.rabbitmq import EPMD
from deploy.local.report import say
from deploy.local.state import State

DISK_FREE_MIN = 2 * 1024**3
CLOCK_OFFSET_MAX_S = 1.0
Finding = tuple[bool, str]


def examine(state: State) -> int:
    examinations: list[Callable[[State], list[Finding]]] = [
        _programs,
        _disk,
        _secrets,
        _binds,
        _readiness,
        _broker,
        _database,
    ]
    healthy = True
    for examination in examinations:
        try:
            findings = examination(state)
        except StackError as error:
            findings = [(False, str(error))]
        for good, text in findings:
            healthy = healthy and good
            say(f"  {'✓' if good else '✗'} {text}")
    say("All in order." if healthy else "Lines marked ✗ need a hand.")
    return 0 if healthy else 1


def _programs(_state: State) -> list[Finding]:
    postgres, rabbitmq = servers.postgres_programs(), servers.rabbitmq_programs()
    current = packages.packages_are_current()
    return [
        (current, f"Python packages {'as' if current else 'NOT as'} in requirements-dev.txt"),
        (postgres is not None, f"PostgreSQL programs: {postgres or 'not found'}"),
        (rabbitmq is not None, f"RabbitMQ programs: {rabbitmq or 'not found'}"),
    ]


def _disk(state: State) -> list[Finding]:
    free = shutil.disk_usage(state.root if state.root.exists() else "/").free
    return [(free > DISK_FREE_MIN, f"disk: {free / 1024**3:.1f} GiB free at {state.root}")]


def _secrets(state: State) -> list[Finding]:
    files = [state.root / name for name in ("secrets.json", "key", "publisher")]
    open_ones = [file.name for file in files if file.exists() and file.stat().st_mode & 0o077]
    text = f"readable by others: {', '.join(open_ones)}" if open_ones else "owner only"
    return [(not open_ones, f"secrets: {text}")]


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
        findings.append((not public, text + (", ".join(addresses) or "nothing")))
    return findings


def _readiness(state: State) -> list[Finding]:
    known = ports.remembered(state)
    findings = []
    for service in SERVICES:
        port = known.get(f"{service}_ops")
        good, text = services.readiness(port) if port else (False, "never started")
        findings.append((good, f"{service}: {'ready' if good else text}"))
    return findings


def _broker(state: State) -> list[Finding]:
    reach = endpoints(state)
    overview = broker_api.get(reach.broker_api["topology"], "overview")
    findings = [
        (True, f"RabbitMQ {overview['rabbitmq_version']}, {overview['erlang_version']}")
    ]
    if has_private_broker():
        users = {user["name"] for user in broker_api.get(reach.broker_api["admin"], "users")}
        findings.append(("guest" not in users, f"broker users: {', '.join(sorted(users))}"))
    return findings


def _database(state: State) -> list[Finding]:
    return asyncio.run(_ask_database(endpoints(state)))


async def _ask_database(reach: Endpoints) -> list[Finding]:
    connection = await connect(reach.database_owner)
    try:
        version = await connection.fetchval("SHOW server_version")
        fsync = await connection.fetchval("SHOW fsync")
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
        (fsync == "on", f"PostgreSQL {version}, fsync {fsync}"),
        (offset < CLOCK_OFFSET_MAX_S, f"clock offset to the database: {offset * 1000:.0f} ms"),
        (not strong, f"roles: {', '.join(role['rolname'] for role in roles)}"),
    ]
