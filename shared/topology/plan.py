"""From the table of work queues to everything the broker must hold. Pure.

Nothing that can be reached from a rung may refuse a message (no length limit with
reject-publish): rungs dead-letter at least once, so one refusing queue would stall the rung
for everybody. A test of the house reads the plan for that.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from shared.contracts.body import Fact
from shared.topology.ladder import HOME, RUNGS, falls_key, home_key, rests_key, rung_name
from shared.topology.queues import (
    DEAD,
    EVENTS,
    INGEST,
    JOBS,
    SUBMIT,
    UNROUTABLE,
    WORK_QUEUES,
    WorkQueue,
    dead_queue,
)

Argument = str | int
QueueKind = Literal["classic", "quorum"]
# The 4.x default of 20 would drop the letters of a drainer that keeps crashing.
LETTERS_DELIVERY_LIMIT = 1_000_000_000
WORK_DELIVERY_LIMIT = 100


@dataclass(frozen=True, slots=True)
class Exchange:
    name: str
    kind: Literal["direct", "topic", "fanout"]
    arguments: Mapping[str, Argument] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Queue:
    name: str
    arguments: Mapping[str, Argument]


@dataclass(frozen=True, slots=True)
class Binding:
    source: str
    destination: str
    routing_key: str
    to_exchange: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    exchanges: tuple[Exchange, ...]
    queues: tuple[Queue, ...]
    bindings: tuple[Binding, ...]


def plan(
    queues: Iterable[WorkQueue] = WORK_QUEUES, *, work_kind: QueueKind = "classic"
) -> Plan:
    table = tuple(queues)
    return Plan(
        exchanges=(*_doors(), *_ladder_exchanges()),
        queues=(
            *(_work_queue(queue, work_kind) for queue in table),
            *(_letters(dead_queue(queue.name)) for queue in table),
            _letters(UNROUTABLE),
            *(_rung(level) for level in range(RUNGS)),
        ),
        bindings=(
            *(binding for queue in table for binding in _work_bindings(queue)),
            Binding(UNROUTABLE, UNROUTABLE, ""),
            *(binding for level in range(RUNGS) for binding in _ladder_bindings(level)),
        ),
    )


def _doors() -> tuple[Exchange, ...]:
    caught: dict[str, Argument] = {"alternate-exchange": UNROUTABLE}
    return (
        Exchange(INGEST, "direct", caught),
        # No alternate exchange on these two: only the relay publishes there, the broker
        # tells it what had no taker, and the row is parked where an operator sees it.
        Exchange(JOBS, "direct"),
        Exchange(EVENTS, "topic"),
        Exchange(DEAD, "direct", caught),
        Exchange(UNROUTABLE, "fanout"),
    )


def _ladder_exchanges() -> tuple[Exchange, ...]:
    names = (HOME, *(rung_name(level) for level in range(RUNGS)))
    return tuple(Exchange(name, "topic", {"alternate-exchange": UNROUTABLE}) for name in names)


def _work_queue(queue: WorkQueue, work_kind: QueueKind) -> Queue:
    arguments: dict[str, Argument] = {
        "x-dead-letter-exchange": DEAD,
        "x-dead-letter-routing-key": queue.name,
    }
    if queue.priority_max and work_kind == "classic":
        # Quorum queues refuse x-max-priority, and a priority cannot be added later.
        return Queue(
            queue.name,
            {"x-queue-type": "classic", "x-max-priority": queue.priority_max, **arguments},
        )
    return Queue(queue.name, {**_quorum(WORK_DELIVERY_LIMIT), **arguments, **_at_least_once()})


def _letters(name: str) -> Queue:
    return Queue(name, _quorum(LETTERS_DELIVERY_LIMIT))


def _rung(level: int) -> Queue:
    # No routing key of its own: an expired message keeps the one it came with, whose next
    # bit decides whether it rests on the rung below or falls through it.
    return Queue(
        rung_name(level),
        {
            "x-queue-type": "quorum",
            "x-message-ttl": 250 << level,
            "x-dead-letter-exchange": rung_name(level - 1) if level else HOME,
            **_at_least_once(),
        },
    )


def _quorum(delivery_limit: int) -> dict[str, Argument]:
    return {"x-queue-type": "quorum", "x-delivery-limit": delivery_limit}


def _at_least_once() -> dict[str, Argument]:
    # Reject-publish without a length limit refuses nothing; the broker only wants to see it
    # before it believes in at-least-once, and falls back to losing messages otherwise.
    return {"x-dead-letter-strategy": "at-least-once", "x-overflow": "reject-publish"}


def _work_bindings(queue: WorkQueue) -> tuple[Binding, ...]:
    facts = tuple(
        Binding(EVENTS, queue.name, body.type) for body in queue.takes if issubclass(body, Fact)
    )
    door = (Binding(INGEST, queue.name, body.type) for body in queue.takes)
    return (
        *(tuple(door) if queue == SUBMIT else ()),
        # Under its own name too, whatever it takes: that is how a replay reaches it alone.
        Binding(JOBS, queue.name, queue.name),
        *facts,
        Binding(DEAD, dead_queue(queue.name), queue.name),
        Binding(HOME, queue.name, home_key(queue.name)),
    )


def _ladder_bindings(level: int) -> tuple[Binding, ...]:
    name = rung_name(level)
    below = rung_name(level - 1) if level else HOME
    return (
        Binding(name, name, rests_key(level)),
        Binding(name, below, falls_key(level), to_exchange=True),
    )


def render(the_plan: Plan) -> str:
    """The plan as text: what `print` shows and what the contract snapshot holds."""
    lines = [f"exchange {e.name} {e.kind}{_arguments(e.arguments)}" for e in the_plan.exchanges]
    lines += [f"queue {q.name}{_arguments(q.arguments)}" for q in the_plan.queues]
    lines += [
        f"bind {b.source} -> {'exchange' if b.to_exchange else 'queue'} {b.destination}"
        f" [{b.routing_key}]"
        for b in the_plan.bindings
    ]
    return "\n".join(lines) + "\n"


def _arguments(arguments: Mapping[str, Argument]) -> str:
    return "".join(f" {key}={value}" for key, value in sorted(arguments.items()))
