"""Up and down: the order in which a stack comes to life, and what it says about changes.

Servers first, then tables and queues, then the services; each of these three at once within
itself. Running it again is the way to repair and to update: only what is missing, dead or
changed is touched.
"""

import hashlib
from collections.abc import Mapping, Set
from functools import partial
from pathlib import Path
from typing import Any

from deploy.local import (
    broker_api,
    gemini_double,
    ports,
    processes,
    provision,
    servers,
    services,
)
from deploy.local.credentials import SERVICES
from deploy.local.endpoints import (
    Endpoints,
    endpoints,
    has_private_broker,
    has_private_database,
)
from deploy.local.keys import ensure_key, write_publisher
from deploy.local.nodes import side_by_side, start_nodes, stop_nodes
from deploy.local.report import step
from deploy.local.starting import on_free_ports
from deploy.local.state import REPOSITORY, State, changing, read_json, write_json

NAMES_SHOWN = 4
TOPOLOGY_TRIES = 4


def is_up(state: State) -> bool:
    return any(processes.running(state, service) for service in SERVICES)


def up(state: State, *, with_double: bool = False) -> None:
    servers.install_servers(postgres=has_private_database(), rabbitmq=has_private_broker())
    with changing(state):
        start_nodes(state)
        _choose_service_ports(state)
        reach = endpoints(state)
        side_by_side(partial(_apply_topology, reach), partial(_migrate, state, reach))
        if with_double:
            gemini_double.start(state, services.surroundings())
        else:
            gemini_double.stop(state)
        _start_services(state, reach)
        ensure_key(state, reach)
        write_publisher(state, reach)


def down(state: State) -> None:
    with changing(state):
        running = [name for name in SERVICES if processes.running(state, name)]
        if running:
            with step(f"services stopped: {', '.join(running)}"):
                _stop_services(state)
        else:
            # Nothing is known to run, yet a deleted state folder may have left something.
            _stop_services(state)
        gemini_double.stop(state)
        stop_nodes(state)


def _stop_services(state: State) -> None:
    # Each is asked once: a second signal tells a service to leave its work where it is.
    side_by_side(*(partial(services.stop, state, name) for name in SERVICES))


def _choose_service_ports(state: State) -> None:
    known = ports.remembered(state)
    wanted = [
        name
        for name in services.PORTS
        if name not in known or not processes.running(state, name.partition("_")[0])
    ]
    ports.ensure(state, wanted)


def _apply_topology(reach: Endpoints) -> None:
    with step("topology") as work:
        api = reach.broker_api["topology"]
        amqp = reach.amqp["topology"]
        before = broker_api.inventory(api, amqp)
        services.run_module(
            ["shared.topology", "apply"],
            {"PAPERLINE_TOPOLOGY_AMQP_URL": amqp, "PAPERLINE_TOPOLOGY_API_URL": api},
            # A broker of several nodes may lose one in the middle of it.
            tries=TOPOLOGY_TRIES,
        )
        new = sorted(broker_api.inventory(api, amqp) - before)
        work.note(_listing(new, "new") if new else "unchanged")


def _migrate(state: State, reach: Endpoints) -> None:
    """Five doors that load their tools for a second each are most of an `up` with nothing to
    do, so what they left is remembered, with what they were told."""
    remembered, owner = state.root / "migrated", reach.database_owner
    with step("migrations") as work:
        before = provision.revisions(owner)
        if read_json(remembered) == standing(REPOSITORY, owner, before):
            work.note("unchanged")
            return
        side_by_side(*(partial(_migrate_one, state, name, reach) for name in SERVICES))
        after = provision.revisions(owner)
        write_json(remembered, standing(REPOSITORY, owner, after))
        new = sorted(
            revision
            for schema, applied in after.items()
            for revision in applied - before.get(schema, set())
        )
        work.note(_listing(new, "new") if new else "unchanged")


def standing(repository: Path, owner: str, revisions: Mapping[str, Set[str]]) -> dict[str, Any]:
    """What the migrations would work from, and what they have made of this database."""
    digest = hashlib.sha256(owner.encode())
    for pattern in ("s*/*/migrations/*.*", "shared/database/**/*.*"):
        for path in sorted(repository.glob(pattern)):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"{path.relative_to(repository)}\0".encode() + path.read_bytes())
    known = {schema: sorted(applied) for schema, applied in revisions.items()}
    return {"digest": digest.hexdigest(), "revisions": known}


def _migrate_one(state: State, service: str, reach: Endpoints) -> None:
    variables = services.environment(state, service, reach)
    variables["PAPERLINE_MIGRATE_URL"] = reach.database_owner
    services.run_module([f"services.{service}", "migrate"], variables)


def _start_services(state: State, reach: Endpoints) -> None:
    with step("services") as work:
        # Migrations took their time: what was free before them may be somebody's by now.
        reasons = on_free_ports(
            partial(_choose_service_ports, state), partial(_bring_up, state, reach)
        )
        for why, names in reasons.items():
            work.note(f"{' '.join(names)} {why}")


def _bring_up(state: State, reach: Endpoints) -> dict[str, list[str]]:
    """Who was started, by why. All are looked at, since each is told where others are."""
    reasons: dict[str, list[str]] = {}
    for service in SERVICES:
        why = services.start(state, service, reach)
        reasons.setdefault(why or "running, unchanged", []).append(service)
    side_by_side(*(partial(services.wait_ready, state, name) for name in SERVICES))
    return reasons


def _listing(names: list[str], adjective: str) -> str:
    shown = ", ".join(names[:NAMES_SHOWN])
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return f"{len(names)} {adjective} ({shown}{more})"
