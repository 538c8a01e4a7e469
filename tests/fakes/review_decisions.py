"""Decisions that are taken back, in memory: beside the items they are about."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from services.review.domain.claims import SYSTEM
from services.review.domain.decisions import (
    DECIDED,
    SPLIT,
    SPLIT_FAILED,
    Context,
    Reextraction,
    Reopening,
)
from services.review.domain.editing import LINES
from services.review.domain.edits import HUMAN
from services.review.domain.items import OPEN, ItemStatus, Part, ReviewItem
from services.review.domain.locks import Content
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock
from tests.fakes.review import InMemoryReviewItems
from tests.fakes.review_forms import InMemoryForms


class InMemoryDecisions:
    def __init__(
        self, items: InMemoryReviewItems, forms: InMemoryForms, clock: FakeClock
    ) -> None:
        self._items = items
        self._forms = forms
        self._clock = clock
        # By child: its parent, and what is its own.
        self.parents: dict[UUID, UUID] = {}
        self.pages: dict[UUID, Sequence[int]] = {}
        # By key: since when.
        self.drafts: dict[str, datetime] = {}

    async def reopen_item(
        self, unit: Unit, asked: Reopening, *, undo_s: float, lease_s: float
    ) -> ReviewItem | None:
        item = self._items.items.get(asked.document_id)
        if item is None or item.status not in DECIDED or item.version != asked.version:
            return None
        if asked.undo and not self._undo_holds(item, asked.actor, undo_s):
            return None
        if asked.document_id in self.parents.values():
            return None
        held = self._clock.now() + timedelta(seconds=lease_s)
        opened = replace(
            item,
            status=ItemStatus.IN_REVIEW if asked.undo else ItemStatus.PENDING,
            claimed_by=asked.actor if asked.undo else None,
            claimed_until=held if asked.undo else None,
            claim_holds=asked.undo,
            version=item.version + 1,
            reopened_by=asked.actor,
            automatic=False,
            postponed_until=None,
            decided_by=None,
            decided_at=None,
            reason_code=None,
            reason=None,
            duplicate_of=None,
        )
        if asked.undo:
            self._items.began(item.document_id)
        return self._items.keep(opened)

    async def ask_again(
        self, unit: Unit, asked: Reextraction, *, wait_s: float
    ) -> ReviewItem | None:
        item = await self._items.find_item(asked.document_id)
        if item is None or item.status not in OPEN or item.version != asked.version:
            return None
        if item.claimed_by_another(asked.actor):
            return None
        if not (asked.lead or self._items.is_theirs(item, asked.actor)):
            return None
        waits = replace(
            item,
            status=ItemStatus.PENDING,
            claimed_by=None,
            claimed_until=None,
            claim_holds=False,
            postponed_until=self._clock.now() + timedelta(seconds=wait_s),
            reextract_asked_at=self._clock.now(),
            reextract_asked_by=asked.actor,
            automatic=False,
            version=item.version + 1,
        )
        return self._items.keep(waits)

    async def keep_parts(self, unit: Unit, parent_id: UUID, parts: Sequence[Part]) -> None:
        self.parents |= {one.document_id: parent_id for one in parts}
        self.pages |= {one.document_id: one.pages for one in parts}

    async def drop_parts(self, unit: Unit, parent_id: UUID, parts: Sequence[UUID]) -> bool:
        theirs = [one for one in parts if self.parents.get(one) == parent_id]
        for one in theirs:
            del self.parents[one]
        return bool(theirs)

    async def reopen_split(self, unit: Unit, document_id: UUID, why: str) -> ReviewItem | None:
        item = self._items.items.get(document_id)
        if item is None or (item.status, item.reason_code) != (ItemStatus.REJECTED, SPLIT):
            return None
        return self._items.keep(
            replace(
                item,
                status=ItemStatus.PENDING,
                version=item.version + 1,
                reopened_by=SYSTEM,
                automatic=False,
                postponed_until=None,
                decided_by=None,
                decided_at=None,
                reason_code=SPLIT_FAILED,
                reason=why,
                duplicate_of=None,
            )
        )

    async def note_draft(self, unit: Unit, reviewed_key: str, document_id: UUID) -> None:
        self.drafts[reviewed_key] = self._clock.now()

    async def forget_draft(self, unit: Unit, reviewed_key: str) -> None:
        self.drafts.pop(reviewed_key, None)

    async def list_stale_drafts(self, *, older_than_s: float, limit: int) -> list[str]:
        before = self._clock.now() - timedelta(seconds=older_than_s)
        return [one for one, since in self.drafts.items() if since < before][:limit]

    async def find_context(self, document_id: UUID, *, actor: str, undo_s: float) -> Context:
        item = self._items.items.get(document_id)
        return Context(
            parent_id=self.parents.get(document_id),
            parts=[
                Part(one, self.pages.get(one, ()))
                for one, parent in self.parents.items()
                if parent == document_id
            ],
            undo_holds=item is not None and self._undo_holds(item, actor, undo_s),
            authors=frozenset() if item is None else frozenset(self._authors(item)),
        )

    def _authors(self, item: ReviewItem) -> Iterator[str]:
        for one in self._items.fields:
            if one.document_id == item.document_id and one.source == HUMAN and one.locked_by:
                yield one.locked_by
        rows = self._forms.locks.get(Content(item.owner_id, item.sha256), {}).get(LINES)
        if rows is not None:
            yield rows.locked_by

    def _undo_holds(self, item: ReviewItem, actor: str, undo_s: float) -> bool:
        if item.decided_at is None or item.decided_by != actor:
            return False
        return item.decided_at >= self._clock.now() - timedelta(seconds=undo_s)
