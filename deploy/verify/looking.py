"""Where a look reads, and how a check is run over several looks.

Each look is one snapshot of the database beside what the broker and the object store tell at
that moment. What is found by the first is asked again in the next, and only what is still
there, unmoved, is left; a system at work is given its time, one at rest is not.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from deploy.verify.broker import Broker, Depths
from deploy.verify.database import Snapshot
from deploy.verify.heads import Head
from deploy.verify.history import History
from deploy.verify.machine import Machine
from deploy.verify.objects import Objects
from deploy.verify.promises import (
    SUSPECTS_MAX,
    CannotJudge,
    Finding,
    NotGiven,
    Suspect,
)


@dataclass(frozen=True, slots=True)
class Sources:
    """What there is to judge by. Only the database is indispensable."""

    snapshot: Callable[[], AbstractAsyncContextManager[Snapshot]]
    broker: Broker | None = None
    objects: Objects | None = None
    history: History | None = None
    provider_url: str | None = None
    machine: Machine | None = None
    # By service: where its audit log ended when somebody kept that elsewhere.
    audit_heads: Mapping[str, Head] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Orders:
    """At rest nothing is under way: whatever is left over is an offender."""

    at_rest: bool = False
    # Every byte is read, not only what lies where.
    deep: bool = False
    # How often the sweeper may have had to help. None: it is only told.
    repairs_allowed: int | None = None
    # Seconds before each look after the first.
    pauses: tuple[float, ...] = ()
    say: Callable[[str], None] = field(default=lambda _: None)


@dataclass(frozen=True, slots=True)
class Look:
    orders: Orders
    sources: Sources
    snapshot: Snapshot
    # None when there is no broker to ask, an exception when it does not answer.
    depths: Depths | CannotJudge | None

    @property
    def queues(self) -> Depths:
        if self.depths is None:
            raise NotGiven("the broker")
        if isinstance(self.depths, CannotJudge):
            raise self.depths
        return self.depths


@dataclass(slots=True)
class Notes:
    """What a check found, and what it wants to say beside."""

    suspects: list[Suspect] = field(default_factory=list)
    note: str = ""
    # What would have been suspicious, had not somebody died.
    excused: int = 0

    @property
    def is_full(self) -> bool:
        return len(self.suspects) >= SUSPECTS_MAX

    def add(self, subject: str, detail: str, mark: str = "") -> None:
        if not self.is_full:
            self.suspects.append(Suspect(subject, detail, mark))


CheckBody: TypeAlias = Callable[[Look, Notes], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Check:
    promise: str
    name: str
    body: CheckBody


async def judge(checks: Sequence[Check], sources: Sources, orders: Orders) -> list[Finding]:
    findings = await _look(checks, sources, orders)
    for number, pause in enumerate(orders.pauses, start=2):
        suspicious = [one for one in checks if _of(one, findings).suspects]
        if not suspicious:
            break
        orders.say(f"look {number} at {_names(suspicious)} in {pause:g} s")
        await asyncio.sleep(pause)
        again = await _look(suspicious, sources, orders)
        findings = [_still(one, again) for one in findings]
    return findings


async def _look(checks: Sequence[Check], sources: Sources, orders: Orders) -> list[Finding]:
    # Before the snapshot: a message that is taken meanwhile is then in one of the two.
    depths = await _depths(sources.broker)
    findings = []
    async with sources.snapshot() as snapshot:
        look = Look(orders, sources, snapshot, depths)
        for check in checks:
            orders.say(f"{check.promise} {check.name}")
            findings.append(await _found(check, look))
    return findings


async def _depths(broker: Broker | None) -> Depths | CannotJudge | None:
    if broker is None:
        return None
    try:
        return await broker.depths()
    except CannotJudge as error:
        return error


async def _found(check: Check, look: Look) -> Finding:
    notes = Notes()
    nothing = Finding(check.promise, check.name)
    try:
        await check.body(look, notes)
    except NotGiven as missing:
        return replace(nothing, not_given=str(missing))
    except CannotJudge as error:
        return replace(nothing, unknown=str(error))
    return replace(
        nothing,
        suspects=tuple(notes.suspects),
        cut=notes.is_full,
        note=notes.note,
        excused=notes.excused,
    )


def _still(first: Finding, again: Sequence[Finding]) -> Finding:
    then = next((one for one in again if one.check == first.check), None)
    if then is None or then.unknown:
        return first if then is None else replace(then, suspects=())
    seen = {one.identity for one in first.suspects}
    return replace(then, suspects=tuple(s for s in then.suspects if s.identity in seen))


def _of(check: Check, findings: Sequence[Finding]) -> Finding:
    return next(one for one in findings if one.check == check.name)


def _names(checks: Sequence[Check]) -> str:
    return ", ".join(f"{one.promise} {one.name}" for one in checks)
