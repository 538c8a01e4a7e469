"""What the review service knows of its past, summed up over the items in memory."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from statistics import mean

from services.review.domain.insight import Bin, Corrected, Counted, Pace, Passing
from services.review.domain.items import OPEN, ItemField, ItemStatus, ReviewItem
from services.review.domain.listing import Measured
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock
from tests.fakes.review import InMemoryReviewItems

SYSTEM = "system"


class InMemoryInsight:
    def __init__(self, items: InMemoryReviewItems, clock: FakeClock) -> None:
        self._items = items
        self._clock = clock

    async def measure_queue(self) -> Measured:
        now = self._clock.now()
        waiting = [one for one in self._items.seen() if one.status in OPEN]
        ages = [(now - one.opened_at).total_seconds() for one in waiting]
        late = sum(one.due_at < now for one in waiting)
        return Measured(len(waiting), late, max(ages, default=0.0))

    async def measure_decisions(self, days: int) -> list[Pace]:
        decided = self._decided(days)
        groups: dict[str | None, list[ReviewItem]] = defaultdict(list)
        for item in decided:
            groups[None].append(item)
            groups[item.decided_by].append(item)
        names = sorted(groups, key=lambda name: (name is not None, name or ""))
        return [self._pace(name, groups[name]) for name in names]

    async def measure_corrections(self, days: int, limit: int) -> list[Corrected]:
        spent: dict[str, list[float]] = defaultdict(list)
        for item in self._decided(days):
            for field in self._fields(item):
                if field.status == "corrected":
                    spent[_pattern(field.path) or ""].append(item.seconds_spent)
        found = [
            Corrected(field, len(all_s), _percentile(all_s, 0.5), _percentile(all_s, 0.9))
            for field, all_s in spent.items()
        ]
        return sorted(found, key=lambda one: (-one.corrections, one.field))[:limit]

    async def count_gates(self, days: int) -> list[Counted]:
        counted: dict[tuple[str, str | None], list[ReviewItem]] = defaultdict(list)
        for item in self._opened(days):
            told = {(one["gate"], _pattern(one.get("field"))) for one in item.gates}
            for gate in told:
                counted[gate].append(item)
        found = [
            Counted(gate, field, len(items), sum(len(one.gates) == 1 for one in items))
            for (gate, field), items in counted.items()
        ]
        return sorted(found, key=lambda one: (-one.items, one.gate, one.field or ""))

    async def count_passing(self, days: int, threshold: float) -> Passing:
        opened = self._opened(days)
        passing = [
            one
            for one in opened
            if 1 - one.doubt >= threshold
            and all(gate["gate"] in ("unsure", "sampled") for gate in one.gates)
        ]
        decided = [one for one in passing if one.decided_by not in (None, SYSTEM)]
        changed = sum(one.status is not ItemStatus.APPROVED for one in decided)
        automatic = sum(one.automatic for one in opened)
        return Passing(len(opened), automatic, len(passing), len(decided), changed)

    async def measure_calibration(self, days: int) -> list[Bin]:
        read: dict[float, list[tuple[float, bool]]] = defaultdict(list)
        since = self._since(days)
        for item in self._items.items.values():
            by_person = item.decided_by not in (None, SYSTEM)
            kept = item.status in (ItemStatus.APPROVED, ItemStatus.CORRECTED)
            if by_person and kept and item.decided_at is not None and item.decided_at >= since:
                for confidence, is_right in map(_judged, self._fields(item)):
                    if confidence is not None:
                        floor = min(int(confidence * 10), 9) / 10
                        read[floor].append((confidence, is_right))
        return [
            Bin(floor, len(one), sum(right for _, right in one), mean(sure for sure, _ in one))
            for floor, one in sorted(read.items())
        ]

    async def list_automatic(self, limit: int) -> list[ReviewItem]:
        waiting = [
            one
            for one in self._items.seen()
            if one.automatic and one.status is ItemStatus.PENDING
        ]
        return sorted(waiting, key=lambda one: one.opened_at)[:limit]

    async def hand_to_people(self, unit: Unit, item: ReviewItem) -> bool:
        known = self._items.items.get(item.document_id)
        if known is None or known.version != item.version or not known.automatic:
            return False
        gates = [*known.gates, {"gate": "blocked"}]
        self._items.keep(replace(known, automatic=False, gates=gates))
        return True

    def _since(self, days: int) -> datetime:
        return self._clock.now() - timedelta(days=days)

    def _opened(self, days: int) -> list[ReviewItem]:
        since = self._since(days)
        return [one for one in self._items.items.values() if one.opened_at >= since]

    def _decided(self, days: int) -> list[ReviewItem]:
        since = self._since(days)
        return [
            one
            for one in self._items.items.values()
            if one.decided_at is not None
            and one.decided_at >= since
            and one.first_claimed_at is not None
        ]

    def _pace(self, name: str | None, items: Sequence[ReviewItem]) -> Pace:
        spent = [one.seconds_spent for one in items]
        elapsed = [
            (one.decided_at - one.first_claimed_at).total_seconds()
            for one in items
            if one.decided_at and one.first_claimed_at
        ]
        today = sum(
            one.decided_at is not None and one.decided_at.date() == self._clock.now().date()
            for one in items
        )
        return Pace(
            name,
            len(items),
            today,
            _percentile(spent, 0.5),
            _percentile(spent, 0.9),
            _percentile(elapsed, 0.5),
        )

    def _fields(self, item: ReviewItem) -> list[ItemField]:
        return [one for one in self._items.fields if one.document_id == item.document_id]


def _judged(field: ItemField) -> tuple[float | None, bool]:
    """How sure the machine was, if it read anything, and whether it was right."""
    if field.machine is None:
        read = field.value is not None and field.source != "human"
        return (field.confidence if read else None), True
    if field.machine.get("value") is None:
        return None, False
    sure = field.machine.get("confidence")
    same = field.machine["value"] == field.value
    return (field.confidence if sure is None else sure), same


def _pattern(path: str | None) -> str | None:
    return re.sub(r"\.\d+(?=\.|$)", "[]", path) if path else None


def _percentile(values: Sequence[float], share: float) -> float:
    """Between its neighbours, as PostgreSQL's `percentile_cont` has it."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
