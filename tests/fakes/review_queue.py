"""The review service's queue in memory, over the same items as `InMemoryReviewItems`."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from services.review.domain.claims import Claimant, Postponement, Reviewer, Woken
from services.review.domain.items import OPEN, ItemStatus, ReviewItem
from services.review.domain.listing import RankedPlace, RankPlace, Wanted
from services.review.domain.ranking import Plan
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock
from tests.fakes.review import InMemoryReviewItems, fits, is_for


class InMemoryQueue:
    def __init__(self, items: InMemoryReviewItems, clock: FakeClock) -> None:
        self._items = items
        self._clock = clock
        # Turns that another process has.
        self.taken: set[str] = set()

    async def wake_items(self, unit: Unit, limit: int) -> list[Woken]:
        woken = [one for one in self._items.seen() if self._is_asleep(one)][:limit]
        freed = []
        for item in woken:
            awake = replace(item, postponed_until=None)
            if item.postponed_until is not None:
                awake = replace(awake, reextract_asked_at=None, reextract_asked_by=None)
            free = self._items.free(awake)
            freed.append(Woken(free, item.claimed_by))
        return freed

    async def find_next_item(
        self, claimant: Claimant, *, after: UUID | None
    ) -> ReviewItem | None:
        return self._items.best(claimant, but_not=after)

    async def extend_claim(
        self, unit: Unit, *, document_id: UUID, reviewer: str, lease_s: float
    ) -> ReviewItem | None:
        item = await self._items.find_item(document_id)
        if item is None or not item.claim_holds or item.claimed_by != reviewer:
            return None
        return self._items.claim(item, reviewer, lease_s)

    async def take_over_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str, lease_s: float
    ) -> ReviewItem | None:
        item = await self._open(document_id)
        return item and self._items.claim(item, reviewer, lease_s)

    async def assign_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str | None
    ) -> ReviewItem | None:
        item = await self._open(document_id)
        if item is None:
            return None
        given = replace(item, assigned_to=reviewer, automatic=False)
        if item.claimed_by is not None and item.claimed_by == reviewer:
            return self._items.keep(given)
        return self._items.free(given)

    async def postpone_item(
        self, unit: Unit, postponement: Postponement, reviewer: str
    ) -> ReviewItem | None:
        item = await self._open(postponement.document_id)
        if item is None or item.claimed_by_another(reviewer):
            return None
        if postponement.until <= self._clock.now():
            return None
        return self._items.free(
            replace(item, postponed_until=postponement.until, automatic=False)
        )

    async def escalate_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str, level: int
    ) -> ReviewItem | None:
        item = await self._open(document_id)
        if item is None or item.claimed_by_another(reviewer):
            return None
        return self._items.free(
            replace(item, level=level, assigned_to=None, postponed_until=None, automatic=False)
        )

    async def flag_overdue(self, unit: Unit, limit: int) -> list[ReviewItem]:
        now = self._clock.now()
        late = [
            one
            for one in self._items.seen()
            if one.status in OPEN and one.breached_at is None and one.due_at < now
        ]
        late.sort(key=lambda one: one.due_at)
        return [self._items.keep(replace(one, breached_at=now)) for one in late[:limit]]

    async def rerank_items(self, unit: Unit, plan: Plan, limit: int) -> int:
        weights, count = plan.weights, 0
        for item in self._items.seen():
            base = (
                weights.doubt * item.doubt
                + weights.complexity * item.complexity
                + weights.value * item.value
            )
            known = abs(base - item.base) < 1e-6 and abs(item.sla_rate - plan.sla_rate) < 1e-12
            if item.status in OPEN and not known and count < limit:
                self._items.keep(replace(item, base=base, sla_rate=plan.sla_rate))
                count += 1
        return count

    async def try_turn(self, unit: Unit, name: str) -> bool:
        return name not in self.taken

    async def list_ranked(
        self, wanted: Wanted, after: RankedPlace, limit: int
    ) -> list[ReviewItem]:
        as_of = after.as_of.timestamp()
        found = [
            (-(one.rank_key + one.sla_rate * as_of if timely else one.base), _place(one), one)
            for one in self._items.seen()
            if one.status in OPEN and fits(one, wanted)
            for timely in (one.breached_at is None,)
            if _is_behind(one, after.timely if timely else after.late)
        ]
        found.sort(key=lambda one: (one[0], one[1][1:]))
        return [item for _, _, item in found[:limit]]

    def _is_asleep(self, item: ReviewItem) -> bool:
        if item.status is ItemStatus.IN_REVIEW:
            return not item.claim_holds
        return (
            item.status is ItemStatus.PENDING
            and item.postponed_until is not None
            and item.postponed_until <= self._clock.now()
        )

    async def _open(self, document_id: UUID) -> ReviewItem | None:
        item = await self._items.find_item(document_id)
        return item if item is not None and item.status in OPEN else None


class InMemoryReviewers:
    def __init__(self, items: InMemoryReviewItems, clock: FakeClock) -> None:
        self.reviewers: dict[str, Reviewer] = {}
        self.given: list[str] = []
        self._items = items
        items.levels = self.reviewers
        self._clock = clock

    async def touch_reviewer(self, unit: Unit, name: str) -> Reviewer:
        known = self.reviewers.get(name) or self._new(name)
        self.reviewers[name] = replace(known, seen_at=self._clock.now())
        return self.reviewers[name]

    async def keep_reviewer(
        self, unit: Unit, name: str, *, active: bool | None = None, level: int | None = None
    ) -> Reviewer:
        known = self.reviewers.get(name) or self._new(name)
        if active is not None:
            known = replace(known, active=active)
        if level is not None:
            known = replace(known, level=level)
        self.reviewers[name] = known
        return known

    async def find_reviewer(self, unit: Unit, name: str) -> Reviewer | None:
        return self.reviewers.get(name)

    async def list_reviewers(self) -> list[Reviewer]:
        return [self._loaded(one) for _, one in sorted(self.reviewers.items())]

    async def lock_assignment(self, unit: Unit) -> None:
        """One loop is one writer."""

    async def list_assignable(
        self, unit: Unit, *, level: int, seen_within_s: float
    ) -> list[Reviewer]:
        since = self._clock.now() - timedelta(seconds=seen_within_s)
        there = [
            self._loaded(one)
            for one in self.reviewers.values()
            if one.active and one.level >= level and one.seen_at > since
        ]
        return sorted(there, key=lambda one: (self._last_given(one.name), one.name))

    async def assign_opened(self, unit: Unit, chosen: Sequence[tuple[UUID, str]]) -> None:
        for document_id, name in chosen:
            self._items.keep(replace(self._items.items[document_id], assigned_to=name))
            self.given.append(name)

    async def return_items(self, unit: Unit, reviewer: str) -> list[UUID]:
        theirs = [
            one
            for one in self._items.seen()
            if is_for(one, reviewer)
            and one.assigned_to == reviewer
            and one.status is ItemStatus.PENDING
        ]
        for item in theirs:
            self._items.keep(replace(item, assigned_to=None))
        return [one.document_id for one in theirs]

    def _new(self, name: str) -> Reviewer:
        return Reviewer(name, level=1, active=True, seen_at=self._clock.now())

    def _loaded(self, reviewer: Reviewer) -> Reviewer:
        load = sum(
            1
            for one in self._items.items.values()
            if one.status in OPEN and (one.claimed_by or one.assigned_to) == reviewer.name
        )
        return replace(reviewer, load=load)

    def _last_given(self, name: str) -> int:
        return len(self.given) - self.given[::-1].index(name) if name in self.given else 0


def _place(item: ReviewItem) -> tuple[float, object, UUID]:
    points = item.rank_key if item.breached_at is None else item.base
    return -points, item.opened_at, item.document_id


def _is_behind(item: ReviewItem, place: RankPlace | None) -> bool:
    if place is None:
        return True
    return _place(item) > (-place.points, place.opened_at, place.document_id)
