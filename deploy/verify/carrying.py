"""What is under way has to be carried by something, and at rest nothing is carried any more.

Messages cannot be looked at without taking them, so the broker is judged by its counts: when
it holds nothing, whoever no table carries is stranded; when it holds fewer than there are such
documents, some are.
"""

import json
from asyncio import to_thread
from contextlib import aclosing
from uuid import UUID

from deploy.verify.looking import Check, Look, Notes
from deploy.verify.machine import excess, unready
from deploy.verify.promises import SUSPECTS_MAX, NotGiven
from shared.topology.queues import UNROUTABLE

# Longer than a stage may take without a word: it is not in anybody's hand either.
SILENT_S = 600.0
# Longer than any queue is patient.
FORGOTTEN_S = 49 * 3600.0


async def stranded(look: Look, notes: Notes) -> None:
    rows = await look.snapshot.fetch("under_way", SUSPECTS_MAX)
    carried = await _owed(look, {row["document_id"] for row in rows}) if rows else set()
    loose = [row for row in rows if row["document_id"] not in carried]
    depths = look.queues
    notes.note = f"{len(loose)} documents carried by the broker's {depths.messages} messages"
    silent = SILENT_S if not depths.tells_all and not look.orders.at_rest else 0.0
    if len(loose) <= depths.messages:
        silent = FORGOTTEN_S
    for row in loose:
        if row["silent_s"] >= silent:
            told = f"{row['detail']}, and nothing carries it"
            notes.add(str(row["document_id"]), told, row["mark"])


async def repairs(look: Look, notes: Notes) -> None:
    """The sweeper mends what should never have happened: no more often than was ordered."""
    rows = await look.snapshot.fetch("repaired")
    count, allowed = sum(row["sweeps"] for row in rows), look.orders.repairs_allowed
    notes.note = f"{count} repairs by the sweeper"
    if allowed is not None and count > allowed:
        for row in rows:
            notes.add(row["subject"], row["detail"], row["mark"])


async def _owed(look: Look, wanted: set[UUID]) -> set[UUID]:
    """Those of which a service still has to send something."""
    found = set[UUID]()
    async with aclosing(look.snapshot.stream("owed")) as rows:
        async for row in rows:
            body = json.loads(bytes(row["body"])).get("body") or {}
            named = body.get("document_id")
            if named and UUID(named) in wanted:
                found.add(UUID(named))
    return found


async def routing(look: Look, notes: Notes) -> None:
    depths = look.queues
    for name in depths.missing:
        notes.add(name, "this queue is not there")
    for binding in depths.lacking_bindings or ():
        notes.add(binding, "this binding is not there")
    waiting = depths.queues.get(UNROUTABLE)
    if waiting is not None and waiting.messages:
        notes.add(UNROUTABLE, f"{waiting.messages} messages without a home", "waiting")
    if depths.lacking_bindings is None:
        notes.note = "bindings were not compared: no management API was given"


async def empty_queues(look: Look, notes: Notes) -> None:
    if not look.orders.at_rest:
        raise NotGiven("a system at rest (--quiescent)")
    for name, depth in look.queues.queues.items():
        # Those without a home are told of by themselves.
        if depth.messages and name != UNROUTABLE:
            notes.add(name, f"{depth.messages} messages")


async def readiness(look: Look, notes: Notes) -> None:
    machine = look.sources.machine
    if machine is None or not machine.ops_ports:
        raise NotGiven("the addresses of the services' probes")
    for name, port in sorted(machine.ops_ports.items()):
        if why := await to_thread(unready, port):
            notes.add(name, f"is not ready: {why[:200]}")


async def processes(look: Look, notes: Notes) -> None:
    machine = look.sources.machine
    if machine is None or not machine.pids:
        raise NotGiven("processes of this machine")
    for name, pid in sorted(machine.pids.items()):
        found = excess(pid, machine.resident_bytes_max[name])
        if found:
            notes.add(name, found, str(pid))
    notes.note = f"{len(machine.pids)} processes: the most they held"


CHECKS = (
    Check("I2", "stranded", stranded),
    Check("I2", "repairs", repairs),
    Check("I11", "routing", routing),
    Check("I16", "processes", processes),
    Check("I17", "empty_queues", empty_queues),
    Check("I17", "readiness", readiness),
)
