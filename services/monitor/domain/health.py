"""The one screen an operator looks at first: how all stands, and what needs somebody."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from services.monitor.domain.groups import FailureGroup
from services.monitor.domain.overview import OpenLetters, Pause, QueueState
from services.monitor.domain.queues import Workings

OUTBOX_AGE_S_MAX = 60.0


@dataclass(frozen=True, slots=True)
class Check:
    """One line of what a doctor would say."""

    name: str
    is_well: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Overview:
    # None when the broker was not asked or did not answer: not the same as empty.
    queues: Sequence[QueueState] | None
    open_letters: Sequence[OpenLetters]
    pauses: Sequence[Pause]
    documents: Mapping[str, int]
    running_replays: int
    # The largest groups of failures.
    groups: Sequence[FailureGroup]
    workings: Workings
    # What duties last found, by class and by promise; None before the first time.
    levels: Mapping[str, Mapping[str, Any]] | None
    violations: Mapping[str, int] | None
    checks: Sequence[Check]


def examine(
    workings: Workings,
    open_letters: Sequence[OpenLetters],
    levels: Mapping[str, Mapping[str, Any]] | None,
    violations: Mapping[str, int] | None,
) -> list[Check]:
    """The same questions every time, so that nobody wonders whether one was asked."""
    unwell = [one for one in workings.queues if one.health in ("stalled", "short", "missing")]
    paused = [one for one in workings.queues if one.pauses]
    lagging = [one for one in workings.services if one.outbox_oldest_age_s > OUTBOX_AGE_S_MAX]
    parked = [one for one in workings.services if one.outbox_parked]
    letters = sum(one.letters for one in open_letters)
    lost = workings.unroutable_open + (workings.unroutable_ready or 0)
    breached = [name for name, told in (levels or {}).items() if told["is_breached"]]
    broken = [name for name, total in (violations or {}).items() if total]
    return [
        _none("broker", [] if workings.broker_answers else ["no answer"]),
        _none("queues", [f"{one.name} is {one.health}" for one in unwell]),
        _none("pauses", [f"{one.name}: {one.pauses[0].reason}" for one in paused]),
        Check("dead_letters", letters == 0, f"{letters} open" if letters else ""),
        Check("unroutable", lost == 0, f"{lost} arrived nowhere" if lost else ""),
        _none("outbox", [f"{one.service}: {one.outbox_oldest_age_s:.0f} s" for one in lagging]),
        _none("parked", [f"{one.service}: {one.outbox_parked}" for one in parked]),
        _none("service_levels", breached, is_known=levels is not None),
        _none("conservation", broken, is_known=violations is not None),
    ]


def _none(name: str, found: Sequence[str], *, is_known: bool = True) -> Check:
    if not is_known:
        return Check(name, is_well=False, detail="not checked yet")
    return Check(name, not found, "; ".join(found))
