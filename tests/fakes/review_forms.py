"""What people said of values, in memory. It refuses what the triggers of the tables refuse."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from uuid import UUID

from services.review.domain.decisions import SPLIT
from services.review.domain.edits import Edit, PathChange
from services.review.domain.invoice_keys import KEYS_VERSION, InvoiceKeys, alike
from services.review.domain.items import ItemStatus, ReviewItem
from services.review.domain.locks import Content, Lock
from services.review.domain.ranking import Rank
from services.review.domain.rescans import DISTANCE_MAX, Rescan, Sheet, Told
from services.review.domain.twins import Lookalike
from services.review.ports.forms import ItemFindings
from shared.contracts.extraction import Summary
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock
from tests.fakes.review import InMemoryReviewItems


class InMemoryForms:
    def __init__(self, items: InMemoryReviewItems, clock: FakeClock) -> None:
        self.locks: dict[Content, dict[str, Lock]] = {}
        self.edits: dict[UUID, list[Edit]] = {}
        self.findings: dict[UUID, ItemFindings] = {}
        self.keys: dict[UUID, InvoiceKeys] = {}
        self.sheets: dict[UUID, Sheet] = {}
        # By which rules the keys were made.
        self.keys_versions: dict[UUID, int] = {}
        self.actors: list[str] = []
        # In the order in which they were held.
        self.held: list[Content] = []
        self._items = items
        self._clock = clock

    async def hold_contents(self, unit: Unit, contents: Sequence[Content]) -> None:
        self.held += contents

    async def find_contents(self, unit: Unit, document_ids: Sequence[UUID]) -> list[Content]:
        known = self._items.items
        items = [known[one] for one in document_ids if one in known]
        return sorted({Content(one.owner_id, one.sha256) for one in items})

    async def erase_locks(self, unit: Unit, contents: Sequence[Content]) -> None:
        left = {Content(one.owner_id, one.sha256) for one in self._items.items.values()}
        for content in set(contents) - left:
            self.locks.pop(content, None)
        for erased in self.findings.keys() - self._items.items.keys():
            del self.findings[erased]
            self.keys.pop(erased, None)
            self.sheets.pop(erased, None)
            self.edits.pop(erased, None)

    async def find_locks(
        self, unit: Unit, contents: Sequence[Content]
    ) -> Mapping[Content, Sequence[Lock]]:
        return {
            one: [held for _, held in sorted(self.locks[one].items())]
            for one in contents
            if self.locks.get(one)
        }

    async def name_actor(self, unit: Unit, actor: str) -> None:
        self.actors.append(actor)

    async def raise_version(
        self, unit: Unit, document_id: UUID, *, version: int, reviewer: str
    ) -> ReviewItem | None:
        item = await self._items.find_item(document_id)
        if item is None or item.version != version or not item.claim_holds:
            return None
        if item.status is not ItemStatus.IN_REVIEW or item.claimed_by != reviewer:
            return None
        saved = replace(item, version=version + 1)
        self._items.items[document_id] = saved
        return saved

    async def weigh_item(
        self, unit: Unit, document_id: UUID, rank: Rank, summary: Summary
    ) -> ReviewItem:
        weighed = replace(
            self._items.items[document_id],
            vendor_name=summary.vendor_name,
            invoice_number=summary.invoice_number,
            doubt=rank.doubt,
            complexity=rank.complexity,
            value=rank.value,
            base=rank.base,
            sla_rate=rank.sla_rate,
            ranked_on=rank.facts,
        )
        return self._items.keep(weighed)

    async def drop_fields(self, unit: Unit, document_id: UUID, paths: Sequence[str]) -> None:
        gone = {(document_id, path) for path in paths}
        self._items.fields = [
            one for one in self._items.fields if (one.document_id, one.path) not in gone
        ]

    async def keep_locks(self, unit: Unit, content: Content, locks: Sequence[Lock]) -> None:
        self.locks.setdefault(content, {}).update({one.path: one for one in locks})

    async def drop_locks(self, unit: Unit, content: Content, paths: Sequence[str]) -> None:
        for path in paths:
            self.locks.get(content, {}).pop(path, None)

    async def keep_edit(
        self,
        unit: Unit,
        document_id: UUID,
        *,
        version: int,
        actor: str,
        changes: Sequence[PathChange],
    ) -> None:
        at = self._clock.now().isoformat()
        self.edits.setdefault(document_id, []).append(Edit(version, actor, at, changes))

    async def list_edits(self, document_id: UUID, *, after: int) -> list[Edit]:
        return [one for one in self.edits.get(document_id, []) if one.version > after]

    async def keep_findings(self, unit: Unit, found: Sequence[ItemFindings]) -> None:
        for one in found:
            before = self.findings.get(one.document_id)
            noticed = before.noticed if one.noticed is None and before else one.noticed or ()
            self.findings[one.document_id] = replace(one, noticed=noticed)

    async def find_findings(self, document_id: UUID) -> ItemFindings | None:
        return self.findings.get(document_id)

    async def keep_keys(
        self, unit: Unit, document_ids: Sequence[UUID], keys: Sequence[InvoiceKeys]
    ) -> None:
        for document_id in document_ids:
            self.keys.pop(document_id, None)
            self.keys_versions.pop(document_id, None)
        self.keys |= {one.document_id: one for one in keys}
        self.keys_versions |= {one.document_id: KEYS_VERSION for one in keys}

    async def find_lookalikes(self, keys: InvoiceKeys) -> list[Lookalike]:
        return [
            _lookalike(other, item)
            for other in self.keys.values()
            if (item := self._items.items.get(other.document_id)) is not None
            and _counts(item)
            and other.document_id != keys.document_id
            and other.owner_id == keys.owner_id
            and set(other.seller_keys) & set(keys.seller_keys)
            and (
                alike(other.number_key) == alike(keys.number_key)
                or (keys.total is not None and other.total == keys.total)
            )
        ]

    async def keep_sheets(
        self, unit: Unit, document_ids: Sequence[UUID], sheets: Sequence[Sheet]
    ) -> None:
        for document_id in document_ids:
            self.sheets.pop(document_id, None)
        self.sheets |= {one.document_id: one for one in sheets}

    async def retell_sheet(self, unit: Unit, document_id: UUID, told: Told) -> None:
        if document_id in self.sheets:
            self.sheets[document_id] = replace(self.sheets[document_id], told=told)

    async def find_rescans(self, document_id: UUID, owner_id: str, told: Told) -> list[Rescan]:
        mine = self.sheets.get(document_id)
        if mine is None:
            return []
        return [
            _rescan(other, item)
            for other in self.sheets.values()
            if (item := self._items.items.get(other.document_id)) is not None
            and _counts(item)
            and other.document_id != document_id
            and (other.owner_id, other.page_count) == (owner_id, mine.page_count)
            and _apart(mine, other) <= DISTANCE_MAX
            and _agreeing(told, other.told) >= 2
        ]

    async def list_old_keys(self, unit: Unit, *, limit: int) -> list[UUID]:
        old = [one for one, made in self.keys_versions.items() if made < KEYS_VERSION]
        return sorted(old)[:limit]


def _lookalike(keys: InvoiceKeys, item: ReviewItem) -> Lookalike:
    return Lookalike(
        document_id=keys.document_id,
        filename=item.filename,
        status=item.status,
        sha256=item.sha256,
        accepted_at=item.accepted_at,
        seller_keys=keys.seller_keys,
        number_key=keys.number_key,
        invoice_number=keys.invoice_number,
        year=keys.year,
        issue_date=keys.issue_date,
        total=keys.total,
        currency=keys.currency,
    )


def _counts(item: ReviewItem) -> bool:
    is_split = (item.status, item.reason_code) == (ItemStatus.REJECTED, SPLIT)
    return item.status is not ItemStatus.WITHDRAWN and not is_split


def _apart(one: Sheet, other: Sheet) -> int:
    return (int(one.fingerprint, 16) ^ int(other.fingerprint, 16)).bit_count()


def _agreeing(one: Told, other: Told) -> int:
    both = zip(astuple(one), astuple(other), strict=True)
    return sum(mine is not None and mine == theirs for mine, theirs in both)


def _rescan(sheet: Sheet, item: ReviewItem) -> Rescan:
    return Rescan(
        document_id=sheet.document_id,
        filename=item.filename,
        status=item.status,
        sha256=item.sha256,
        accepted_at=item.accepted_at,
        invoice_number=item.invoice_number,
        number=sheet.told.number,
        issue_date=sheet.told.issue_date,
        total=sheet.told.total,
    )
