"""The review service's tables in memory, with a clock that the test moves.

They know nothing of transactions: what a unit rolls back stays here, so tests of a failed
commit belong to the real tables (`tests/broker/test_review_sql.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from services.review.domain.claims import Claimant, Reviewer
from services.review.domain.items import (
    OPEN,
    Decision,
    ItemField,
    ItemStatus,
    NewItem,
    Place,
    ReviewItem,
)
from services.review.domain.listing import NOBODY, OPEN_ITEMS, Wanted
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock


class InMemoryReviewItems:
    def __init__(self, clock: FakeClock) -> None:
        self.items: dict[UUID, ReviewItem] = {}
        self.fields: list[ItemField] = []
        self._claimed_at: dict[UUID, datetime] = {}
        self._clock = clock
        # Who is of which level, where anybody is known.
        self.levels: Mapping[str, Reviewer] = {}

    async def open_items(self, unit: Unit, items: Sequence[NewItem]) -> set[UUID]:
        opened: set[UUID] = set()
        for item in items:
            if item.document_id not in self.items:
                self.items[item.document_id] = self._opened(item)
                opened.add(item.document_id)
        return opened

    async def lock_items(self, unit: Unit, document_ids: Sequence[UUID]) -> list[ReviewItem]:
        return [one for one in self.seen() if one.document_id in document_ids]

    async def show_anew(self, unit: Unit, items: Sequence[NewItem]) -> None:
        for new in items:
            item = self.items[new.document_id]
            read = asdict(new)
            for lasting in ("document_id", "owner_id", "accepted_at", "sha256", "filename"):
                del read[lasting]
            was_open = item.status in OPEN
            allowed = max(new.due_at - new.accepted_at, timedelta())
            read["due_at"] = item.due_at if was_open else self._clock.now() + allowed
            self.keep(
                replace(
                    item,
                    **read,
                    version=item.version + 1,
                    revision=0,
                    status=item.status if was_open else ItemStatus.PENDING,
                    opened_at=item.opened_at if was_open else self._clock.now(),
                    breached_at=item.breached_at if was_open else None,
                    seconds_spent=item.seconds_spent if was_open else 0,
                    first_claimed_at=item.first_claimed_at if was_open else None,
                    decided_by=None,
                    decided_at=None,
                    reason_code=None,
                    reason=None,
                    duplicate_of=None,
                    reopened_by=None,
                    postponed_until=None if item.reextract_asked_at else item.postponed_until,
                    reextract_asked_at=None,
                    reextract_asked_by=None,
                )
            )
            self.fields = [one for one in self.fields if one.document_id != new.document_id]

    async def keep_fields(self, unit: Unit, fields: Sequence[ItemField]) -> None:
        written = {(one.document_id, one.path) for one in fields}
        fields = [*fields, *(o for o in self.fields if (o.document_id, o.path) not in written)]
        self.fields = sorted(fields, key=lambda one: (one.position, one.path))

    async def claim_next_item(
        self, unit: Unit, *, claimant: Claimant, lease_s: float
    ) -> ReviewItem | None:
        best = self.best(claimant)
        return best and self.claim(best, claimant.name, lease_s)

    def best(self, claimant: Claimant, *, but_not: UUID | None = None) -> ReviewItem | None:
        free = [
            one
            for one in self.seen()
            if one.status is ItemStatus.PENDING
            and one.postponed_until is None
            and one.assigned_to in (None, claimant.name)
            and one.level <= claimant.level
            and one.document_id != but_not
            and not self._is_in_own_hand(one, claimant)
        ]
        now = self._clock.now().timestamp()
        return min(free, key=lambda one: _urgency(one, now), default=None)

    def _is_in_own_hand(self, item: ReviewItem, claimant: Claimant) -> bool:
        if claimant.two_from is None:
            return False
        if abs(Decimal(item.ranked_on.get("total", 0))) < claimant.two_from:
            return False
        return item.owner_id == claimant.name or any(
            (one.document_id, one.source, one.locked_by)
            == (item.document_id, "human", claimant.name)
            for one in self.fields
        )

    async def claim_item(
        self, unit: Unit, *, document_id: UUID, claimant: Claimant, lease_s: float
    ) -> ReviewItem | None:
        item = await self.find_item(document_id)
        if item is None or item.status not in OPEN or item.claimed_by_another(claimant.name):
            return None
        theirs = item.level <= claimant.level and item.assigned_to in (None, claimant.name)
        if not (claimant.lead or theirs):
            return None
        return self.claim(item, claimant.name, lease_s)

    async def release_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str
    ) -> ReviewItem | None:
        item = await self.find_item(document_id)
        if item is None or item.claimed_by != reviewer:
            return None
        return self.free(item)

    async def decide_item(self, unit: Unit, decision: Decision) -> ReviewItem | None:
        item = await self.find_item(decision.document_id)
        if item is None or item.status not in OPEN or item.version != decision.version:
            return None
        if item.claimed_by_another(decision.reviewer):
            return None
        if not (decision.lead or self.is_theirs(item, decision.reviewer)):
            return None
        decided = replace(
            self._let_go(item),
            status=ItemStatus(decision.verdict),
            reviewed_key=decision.reviewed_key or item.reviewed_key,
            reason_code=decision.reason_code,
            reason=decision.reason,
            duplicate_of=decision.duplicate_of,
            reopened_by=None,
            version=item.version + 1,
            revision=item.revision + 1,
            decided_by=decision.reviewer,
            decided_at=self._clock.now(),
        )
        return self.keep(decided)

    def is_theirs(self, item: ReviewItem, name: str) -> bool:
        if item.claim_holds and item.claimed_by == name:
            return True
        known = self.levels.get(name)
        is_given = item.assigned_to in (None, name)
        return is_given and item.level <= (known.level if known else 1)

    async def find_item(self, document_id: UUID) -> ReviewItem | None:
        return next((one for one in self.seen() if one.document_id == document_id), None)

    async def list_fields(self, document_id: UUID, unit: Unit | None = None) -> list[ItemField]:
        return [field for field in self.fields if field.document_id == document_id]

    async def list_items(
        self, *, wanted: Wanted, after: Place | None, limit: int
    ) -> list[ReviewItem]:
        found = [item for item in self.seen() if fits(item, wanted)]
        places = [(item.opened_at, item.document_id, item) for item in found]
        start = (after.opened_at, after.document_id) if after else None
        behind = [one for one in places if start is None or one[:2] > start]
        return [one[2] for one in sorted(behind, key=lambda one: one[:2])][:limit]

    def withdraw(self, document_id: UUID) -> bool:
        item = self.items.get(document_id)
        if item is None or item.status not in OPEN:
            return False
        gone = self._let_go(item)
        self.keep(replace(gone, status=ItemStatus.WITHDRAWN, version=item.version + 1))
        return True

    def erase(self, document_id: UUID) -> bool:
        self.fields = [one for one in self.fields if one.document_id != document_id]
        return self.items.pop(document_id, None) is not None

    def _opened(self, item: NewItem) -> ReviewItem:
        return ReviewItem(
            **asdict(item),
            status=ItemStatus.PENDING,
            reviewed_key=None,
            version=1,
            revision=0,
            claimed_by=None,
            claimed_until=None,
            claim_holds=False,
            decided_by=None,
            decided_at=None,
            reason_code=None,
            reason=None,
            opened_at=self._clock.now(),
            rank_key=rank_key(item),
            breached_at=None,
            assigned_to=None,
            postponed_until=None,
            level=1,
            seconds_spent=0,
            first_claimed_at=None,
        )

    def free(self, item: ReviewItem) -> ReviewItem:
        return self.keep(replace(self._let_go(item), status=ItemStatus.PENDING))

    def began(self, document_id: UUID) -> None:
        """Somebody has it in hand from now on."""
        self._claimed_at[document_id] = self._clock.now()

    def _let_go(self, item: ReviewItem) -> ReviewItem:
        """However a claim ends, its time is counted."""
        held_s = 0.0
        if item.claimed_until is not None:
            end = min(self._clock.now(), item.claimed_until)
            held_s = (end - self._claimed_at[item.document_id]).total_seconds()
        return replace(
            item,
            claimed_by=None,
            claimed_until=None,
            claim_holds=False,
            seconds_spent=item.seconds_spent + held_s,
        )

    def claim(self, item: ReviewItem, reviewer: str, lease_s: float) -> ReviewItem:
        now = self._clock.now()
        until = now + timedelta(seconds=lease_s)
        if item.claimed_by != reviewer:
            item = self._let_go(item)
            self._claimed_at[item.document_id] = now
        return self.keep(
            replace(
                item,
                status=ItemStatus.IN_REVIEW,
                claimed_by=reviewer,
                claimed_until=until,
                claim_holds=True,
                postponed_until=None,
                automatic=False,
                first_claimed_at=item.first_claimed_at or now,
            )
        )

    def keep(self, item: ReviewItem) -> ReviewItem:
        before = self.items.get(item.document_id)
        moved = before is not None and before.claimed_by != item.claimed_by
        item = replace(item, rank_key=rank_key(item), turn=item.turn + moved)
        self.items[item.document_id] = item
        return item

    def seen(self) -> list[ReviewItem]:
        now = self._clock.now()
        return [
            replace(item, claim_holds=bool(item.claimed_until and item.claimed_until >= now))
            for item in self.items.values()
        ]


def rank_key(item: NewItem) -> float:
    return item.base - item.sla_rate * item.due_at.timestamp()


def _urgency(item: ReviewItem, now: float) -> tuple[float, datetime, UUID]:
    timely = item.breached_at is None
    points = item.rank_key + item.sla_rate * now if timely else item.base
    return -points, item.opened_at, item.document_id


def is_for(item: ReviewItem, holder: str) -> bool:
    return (item.claimed_by or item.assigned_to or NOBODY) == holder


def fits(item: ReviewItem, wanted: Wanted) -> bool:
    is_open = item.status in OPEN
    texts = (item.vendor_name, item.invoice_number, item.filename)
    return (
        (wanted.status in (None, item.status) or (wanted.status == OPEN_ITEMS and is_open))
        and (wanted.holder is None or (is_open and is_for(item, wanted.holder)))
        and wanted.level in (None, item.level)
        and (wanted.due_from is None or item.due_at >= wanted.due_from)
        and (wanted.due_until is None or item.due_at < wanted.due_until)
        and (wanted.beginning is None or _begins(texts, wanted.beginning))
    )


def _begins(texts: Sequence[str | None], beginning: str) -> bool:
    return any(text.lower().startswith(beginning.lower()) for text in texts if text)
