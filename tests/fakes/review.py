"""The review service's tables in memory, with a clock that the test moves.

They know nothing of transactions: what a unit rolls back stays here, so tests of a failed
commit belong to the real tables (`tests/broker/test_review_sql.py`).
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from uuid import UUID

from services.review.domain import (
    OPEN,
    Decision,
    ItemField,
    ItemStatus,
    NewItem,
    Place,
    ReviewItem,
)
from shared.audit.chain import GENESIS, Entry, Line, canonical
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock


class InMemoryReviewItems:
    def __init__(self, clock: FakeClock) -> None:
        self.items: dict[UUID, ReviewItem] = {}
        self.fields: list[ItemField] = []
        self._clock = clock

    async def open_items(self, unit: Unit, items: Sequence[NewItem]) -> set[UUID]:
        opened: set[UUID] = set()
        for item in items:
            if item.document_id not in self.items:
                self.items[item.document_id] = self._opened(item)
                opened.add(item.document_id)
        return opened

    async def lock_items(self, unit: Unit, document_ids: Sequence[UUID]) -> list[ReviewItem]:
        return [one for one in self._seen() if one.document_id in document_ids]

    async def show_anew(self, unit: Unit, items: Sequence[NewItem]) -> None:
        for new in items:
            item = self.items[new.document_id]
            read = asdict(new)
            for lasting in ("document_id", "owner_id", "accepted_at", "sha256", "filename"):
                del read[lasting]
            self._keep(
                replace(
                    item,
                    **read,
                    version=item.version + 1,
                    revision=0,
                    status=item.status if item.status in OPEN else ItemStatus.PENDING,
                    opened_at=item.opened_at if item.status in OPEN else self._clock.now(),
                    decided_by=None,
                    decided_at=None,
                    reason_code=None,
                    reason=None,
                )
            )
            self.fields = [one for one in self.fields if one.document_id != new.document_id]

    async def keep_fields(self, unit: Unit, fields: Sequence[ItemField]) -> None:
        self.fields += fields

    async def claim_next_item(
        self, unit: Unit, *, reviewer: str, lease_s: float
    ) -> ReviewItem | None:
        free = [item for item in self._seen() if item.status in OPEN and not item.claim_holds]
        if not free:
            return None
        best = min(free, key=lambda item: (-item.priority, item.opened_at, item.document_id))
        return self._claim(best, reviewer, lease_s)

    async def claim_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str, lease_s: float
    ) -> ReviewItem | None:
        item = await self.find_item(document_id)
        if item is None or item.status not in OPEN or item.claimed_by_another(reviewer):
            return None
        return self._claim(item, reviewer, lease_s)

    async def release_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str
    ) -> ReviewItem | None:
        item = await self.find_item(document_id)
        if item is None or item.claimed_by != reviewer:
            return None
        return self._keep(_free(replace(item, status=ItemStatus.PENDING)))

    async def decide_item(self, unit: Unit, decision: Decision) -> ReviewItem | None:
        item = await self.find_item(decision.document_id)
        if item is None or item.status not in OPEN or item.version != decision.version:
            return None
        if item.claimed_by_another(decision.reviewer):
            return None
        decided = replace(
            _free(item),
            status=ItemStatus(decision.verdict),
            reviewed_key=decision.reviewed_key,
            reason_code=decision.reason_code,
            reason=decision.reason,
            version=item.version + 1,
            revision=item.revision + 1,
            decided_by=decision.reviewer,
            decided_at=self._clock.now(),
        )
        return self._keep(decided)

    async def find_item(self, document_id: UUID) -> ReviewItem | None:
        return next((one for one in self._seen() if one.document_id == document_id), None)

    async def list_fields(self, document_id: UUID) -> list[ItemField]:
        return [field for field in self.fields if field.document_id == document_id]

    async def list_items(
        self, *, status: ItemStatus | None, after: Place | None, limit: int
    ) -> list[ReviewItem]:
        wanted = [item for item in self._seen() if status in (None, item.status)]
        places = [(item.opened_at, item.document_id, item) for item in wanted]
        start = (after.opened_at, after.document_id) if after else None
        behind = [one for one in places if start is None or one[:2] > start]
        return [one[2] for one in sorted(behind, key=lambda one: one[:2])][:limit]

    def withdraw(self, document_id: UUID) -> bool:
        item = self.items.get(document_id)
        if item is None or item.status not in OPEN:
            return False
        self._keep(_free(replace(item, status=ItemStatus.WITHDRAWN, version=item.version + 1)))
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
        )

    def _claim(self, item: ReviewItem, reviewer: str, lease_s: float) -> ReviewItem:
        until = self._clock.now() + timedelta(seconds=lease_s)
        return self._keep(
            replace(
                item,
                status=ItemStatus.IN_REVIEW,
                claimed_by=reviewer,
                claimed_until=until,
                claim_holds=True,
            )
        )

    def _keep(self, item: ReviewItem) -> ReviewItem:
        self.items[item.document_id] = item
        return item

    def _seen(self) -> list[ReviewItem]:
        now = self._clock.now()
        return [
            replace(item, claim_holds=bool(item.claimed_until and item.claimed_until >= now))
            for item in self.items.values()
        ]


class InMemoryWithdrawals:
    def __init__(self, items: InMemoryReviewItems) -> None:
        self.reasons: dict[UUID, str] = {}
        # Becomes known only after the first look, as a cancel that commits meanwhile.
        self.late: dict[UUID, str] = {}
        self._items = items

    async def lock_documents(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        self.reasons |= self.late

    async def find_withdrawn(
        self, document_ids: Sequence[UUID], unit: Unit | None = None
    ) -> set[UUID]:
        return {one for one in document_ids if one in self.reasons}

    async def record_withdrawals(
        self, unit: Unit, document_ids: Sequence[UUID], reasons: Sequence[str]
    ) -> None:
        for document_id, reason in zip(document_ids, reasons, strict=True):
            if self.reasons.get(document_id) != "deleted":
                self.reasons[document_id] = reason

    async def withdraw_items(self, unit: Unit, document_ids: Sequence[UUID]) -> list[UUID]:
        return [one for one in document_ids if self._items.withdraw(one)]

    async def erase_items(self, unit: Unit, document_ids: Sequence[UUID]) -> list[UUID]:
        return [one for one in document_ids if self._items.erase(one)]


class InMemoryTrail:
    def __init__(self, clock: FakeClock) -> None:
        self.entries: list[Entry] = []
        self._clock = clock

    async def record(self, unit: Unit, *entries: Entry) -> None:
        self.entries += entries

    async def list_entries(self, resource: str, *, actor: str | None, limit: int) -> list[Line]:
        lines = [
            Line(seq, self._clock.now(), canonical(entry), GENESIS, GENESIS)
            for seq, entry in enumerate(self.entries, start=1)
            if entry.resource == resource and actor in (None, entry.actor)
        ]
        return lines[::-1][:limit]


def _free(item: ReviewItem) -> ReviewItem:
    return replace(item, claimed_by=None, claimed_until=None, claim_holds=False)
