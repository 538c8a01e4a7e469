"""How the work goes: queues, pauses, dead letters and what is owed, asked where they are kept.

The broker and the database are asked, not the services: what hangs would tell that it is well.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from urllib.parse import quote, unquote, urlsplit

from deploy.local import broker_api
from deploy.local.credentials import SERVICES
from deploy.local.endpoints import Endpoints, endpoints
from deploy.local.provision import connect
from deploy.local.state import State
from shared.topology.queues import UNROUTABLE, WORK_QUEUES, dead_queue

OWED_FOR_S_MAX = 60.0
OWED = """
SELECT (SELECT count(*) FROM {0}.outbox) AS unsent,
       (SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8
          FROM {0}.outbox) AS oldest_age_s,
       (SELECT count(*) FROM {0}.outbox_parked) AS parked
"""
PAUSES = "SELECT queue, reason FROM {0}.pauses WHERE ends_at IS NULL OR ends_at > now()"
LETTERS = """
SELECT origin_queue AS queue, count(*) AS letters FROM monitor.dead_letters
 WHERE state IN ('open', 'replaying') GROUP BY origin_queue ORDER BY letters DESC LIMIT 5
"""


class Mark(Enum):
    GOOD = "✓"
    # Worth knowing, and nobody has to do anything about it now.
    NOTE = "!"
    BAD = "✗"


@dataclass(frozen=True, slots=True)
class Finding:
    mark: Mark
    text: str


@dataclass(frozen=True, slots=True)
class Queue:
    name: str
    messages: int
    consumers: int


@dataclass(frozen=True, slots=True)
class Owed:
    service: str
    unsent: int
    oldest_age_s: float
    parked: int


def good_if(condition: bool, text: str) -> Finding:
    return Finding(Mark.GOOD if condition else Mark.BAD, text)


def note(text: str) -> Finding:
    return Finding(Mark.NOTE, text)


def bad(text: str) -> Finding:
    return Finding(Mark.BAD, text)


def summary(findings: Iterable[Finding]) -> str:
    marks = [one.mark for one in findings]
    if Mark.BAD in marks:
        return f"Lines marked {Mark.BAD.value} need a hand: deploy/RUNBOOK.md says which."
    known = f" {Mark.NOTE.value} is worth knowing." if Mark.NOTE in marks else ""
    return f"All in order.{known}"


def work(state: State) -> list[Finding]:
    reach = endpoints(state)
    owed, pauses, letters = asyncio.run(_ask(reach))
    paused = {queue for queue, _ in pauses}
    return [
        *of_queues(_queues(reach), paused),
        *of_pauses(pauses),
        *of_letters(letters),
        *of_outboxes(owed),
    ]


def of_queues(queues: Sequence[Queue], paused: set[str]) -> list[Finding]:
    """Everything that anybody is to take from has somebody who does."""
    ours = {one.name for one in WORK_QUEUES}
    expected = {*ours, *(dead_queue(name) for name in ours), UNROUTABLE} - paused
    deserted = sorted(one.name for one in queues if one.name in expected and not one.consumers)
    waiting = sum(one.messages for one in queues if one.name in ours)
    delayed = sum(one.messages for one in queues if one.name.startswith("delay."))
    text = f"queues: {waiting} messages, {delayed} more wait for their time"
    if deserted:
        return [bad(f"{text}; nobody listens to {', '.join(deserted)}")]
    return [good_if(True, f"{text}; every queue has its consumers")]


def of_pauses(pauses: Sequence[tuple[str, str]]) -> list[Finding]:
    if not pauses:
        return [good_if(True, "pauses: none")]
    return [note("paused: " + ", ".join(f"{queue} ({reason})" for queue, reason in pauses))]


def of_letters(letters: Mapping[str, int]) -> list[Finding]:
    if not letters:
        return [good_if(True, "dead letters: none open")]
    told = ", ".join(f"{count} of {queue}" for queue, count in letters.items())
    return [note(f"dead letters: {told}; each can be replayed once its cause is gone")]


def of_outboxes(owed: Sequence[Owed]) -> list[Finding]:
    late = [one for one in owed if one.oldest_age_s > OWED_FOR_S_MAX]
    parked = [one for one in owed if one.parked]
    unsent = sum(one.unsent for one in owed)
    findings = [
        bad(f"outbox of {one.service}: {one.unsent} unsent for {one.oldest_age_s:.0f} s")
        for one in late
    ] or [good_if(True, f"outboxes: {unsent} unsent, none for long")]
    return findings + [
        bad(f"outbox of {one.service}: {one.parked} parked, because no queue takes them")
        for one in parked
    ]


def _queues(reach: Endpoints) -> list[Queue]:
    vhost = quote(unquote(urlsplit(reach.amqp["topology"]).path[1:]) or "/", safe="")
    found = broker_api.get(
        reach.broker_api["topology"], f"queues/{vhost}?columns=name,messages,consumers"
    )
    return [
        Queue(one["name"], one.get("messages", 0), one.get("consumers", 0)) for one in found
    ]


async def _ask(
    reach: Endpoints,
) -> tuple[list[Owed], list[tuple[str, str]], dict[str, int]]:
    connection = await connect(reach.database_owner)
    try:
        owed, pauses = [], []
        for service in SERVICES:
            row = await connection.fetchrow(OWED.format(service))
            owed.append(Owed(service, row["unsent"], row["oldest_age_s"], row["parked"]))
            found = await connection.fetch(PAUSES.format(service))
            pauses += [(one["queue"], one["reason"]) for one in found]
        letters = {one["queue"]: one["letters"] for one in await connection.fetch(LETTERS)}
    finally:
        await connection.close()
    return owed, pauses, letters
