"""A queue as operators see it: what waits, who takes it, and whether somebody should act."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from services.monitor.domain.overview import OpenLetters, Pause, QueueState
from services.monitor.domain.processes import (
    ProcessReport,
    ServiceState,
    by_service,
    consumers_expected,
)
from shared.topology.queues import (
    EXTRACT,
    PAUSABLE,
    STORE,
    UNROUTABLE,
    WORK_QUEUES,
    dead_queue,
)

# Documents stand before these: handed out or in hand, and read but not stored.
STAGES_BEFORE: Mapping[str, tuple[str, ...]] = {
    EXTRACT.name: ("waiting", "reading"),
    STORE.name: ("storing",),
}

# stalled: something waits and nobody takes it. short: fewer take it than said they do.
Health = Literal["ok", "paused", "stalled", "short", "missing", "unknown"]


class NoSuchQueue(LookupError):
    pass


@dataclass(frozen=True, slots=True)
class QueueLook:
    name: str
    service: str
    health: Health
    ready: int | None
    unacked: int | None
    consumers: int | None
    consumers_expected: int
    in_per_s: float | None
    out_per_s: float | None
    oldest_age_s: float | None
    # In the dead queue still, and in the monitor's keeping.
    dead_ready: int | None
    dead_open: int
    pausable: bool
    pauses: tuple[Pause, ...]


@dataclass(frozen=True, slots=True)
class Workings:
    """All queues and all services at one moment."""

    # False when the broker did not answer: then nothing is known of what waits in it.
    broker_answers: bool
    queues: Sequence[QueueLook]
    services: Sequence[ServiceState]
    # What found no queue: in the broker, and in the monitor's keeping.
    unroutable_ready: int | None
    unroutable_open: int


@dataclass(frozen=True, slots=True)
class Seen:
    """What was found out, before it is put together."""

    states: Sequence[QueueState] | None
    open_letters: Sequence[OpenLetters]
    pauses: Sequence[Pause]
    reports: Sequence[ProcessReport]
    ages: Mapping[str, float]
    now: datetime


def put_together(seen: Seen) -> Workings:
    states = {state.name: state for state in seen.states or ()}
    looks = [_look(queue.name, queue.service, states, seen) for queue in WORK_QUEUES]
    unroutable = states.get(UNROUTABLE)
    return Workings(
        broker_answers=seen.states is not None,
        queues=looks,
        services=by_service([*seen.reports]),
        unroutable_ready=unroutable.ready if unroutable else None,
        unroutable_open=sum(
            one.letters for one in seen.open_letters if one.reason == UNROUTABLE
        ),
    )


def _look(name: str, service: str, states: Mapping[str, QueueState], seen: Seen) -> QueueLook:
    state, dead = states.get(name), states.get(dead_queue(name))
    pauses = tuple(one for one in seen.pauses if one.queue == name)
    expected = consumers_expected([*seen.reports], name)
    return QueueLook(
        name=name,
        service=service,
        health=_health(state, expected, bool(pauses), seen.states is not None),
        ready=state.ready if state else None,
        unacked=state.unacked if state else None,
        consumers=state.consumers if state else None,
        consumers_expected=expected,
        in_per_s=state.in_per_s if state else None,
        out_per_s=state.out_per_s if state else None,
        oldest_age_s=_oldest_age_s(name, state, seen),
        dead_ready=dead.ready if dead else None,
        dead_open=sum(one.letters for one in seen.open_letters if one.queue == name),
        pausable=name in PAUSABLE,
        pauses=pauses,
    )


def _health(state: QueueState | None, expected: int, is_paused: bool, answers: bool) -> Health:
    if is_paused:
        return "paused"
    if state is None:
        return "missing" if answers else "unknown"
    if state.consumers == 0:
        return "stalled" if state.ready else "short"
    return "short" if state.consumers < expected else "ok"


def _oldest_age_s(name: str, state: QueueState | None, seen: Seen) -> float | None:
    """By the broker, where it tells; else by the documents that stand before the queue."""
    if state is not None and state.oldest_at is not None:
        return max((seen.now - state.oldest_at).total_seconds(), 0.0)
    ages = [seen.ages[one] for one in STAGES_BEFORE.get(name, ()) if one in seen.ages]
    return max(ages, default=None)
