"""Where the values of an item are changed, and what a person once said of them is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from services.review.domain.edits import Edit, PathChange
from services.review.domain.invoice_keys import InvoiceKeys
from services.review.domain.items import ReviewItem
from services.review.domain.locks import Content, Lock
from services.review.domain.ranking import Rank
from services.review.domain.rescans import Rescan, Sheet, Told
from services.review.domain.twins import Lookalike
from shared.contracts.extraction import Finding, Summary
from shared.ledger.port import Unit


@dataclass(frozen=True, slots=True)
class ItemFindings:
    document_id: UUID
    failed: Sequence[Finding]
    # What the reader noticed. None leaves it as it is.
    noticed: Sequence[Finding] | None = None

    @property
    def all(self) -> list[Finding]:
        return [*(self.noticed or ()), *self.failed]


class Forms(Protocol):
    async def hold_contents(self, unit: Unit, contents: Sequence[Content]) -> None:
        """Until the commit, nobody else opens or erases documents of these bytes."""
        ...

    async def find_contents(self, unit: Unit, document_ids: Sequence[UUID]) -> list[Content]:
        """Of those that have an item."""
        ...

    async def erase_locks(self, unit: Unit, contents: Sequence[Content]) -> None:
        """Of the contents of which no document is left."""
        ...

    async def find_locks(
        self, unit: Unit, contents: Sequence[Content]
    ) -> Mapping[Content, Sequence[Lock]]: ...

    async def name_actor(self, unit: Unit, actor: str) -> None:
        """From here on the unit acts for a person: what is locked may be changed."""
        ...

    async def raise_version(
        self, unit: Unit, document_id: UUID, *, version: int, reviewer: str
    ) -> ReviewItem | None:
        """None when it is not open, not at this version, or not in this person's hands."""
        ...

    async def weigh_item(
        self, unit: Unit, document_id: UUID, rank: Rank, summary: Summary
    ) -> ReviewItem:
        """Its place and what it is found by, of an item whose version was just raised."""
        ...

    async def drop_fields(
        self, unit: Unit, document_id: UUID, paths: Sequence[str]
    ) -> None: ...

    async def keep_locks(self, unit: Unit, content: Content, locks: Sequence[Lock]) -> None: ...

    async def drop_locks(self, unit: Unit, content: Content, paths: Sequence[str]) -> None: ...

    async def keep_edit(
        self,
        unit: Unit,
        document_id: UUID,
        *,
        version: int,
        actor: str,
        changes: Sequence[PathChange],
    ) -> None: ...

    async def list_edits(self, document_id: UUID, *, after: int) -> list[Edit]:
        """Of the versions after this one, in their order."""
        ...

    async def keep_findings(self, unit: Unit, found: Sequence[ItemFindings]) -> None: ...

    async def find_findings(self, document_id: UUID) -> ItemFindings | None:
        """None of an item that was never checked: it was opened by an older version."""
        ...

    async def keep_keys(
        self, unit: Unit, document_ids: Sequence[UUID], keys: Sequence[InvoiceKeys]
    ) -> None:
        """In place of all that these documents were recognised by; of others, which have been
        recognised by nothing so far, they are added."""
        ...

    async def find_lookalikes(self, keys: InvoiceKeys) -> list[Lookalike]:
        """Of the same owner, with any name of the seller, and the same number or total. Never
        withdrawn ones, nor a file that was split: its parts are what there is of it."""
        ...

    async def keep_sheets(
        self, unit: Unit, document_ids: Sequence[UUID], sheets: Sequence[Sheet]
    ) -> None:
        """In place of how these documents looked."""
        ...

    async def retell_sheet(self, unit: Unit, document_id: UUID, told: Told) -> None:
        """It looks as before, and another number, date or total is said of it."""
        ...

    async def find_rescans(self, document_id: UUID, owner_id: str, told: Told) -> list[Rescan]:
        """Of the same owner and with as many pages, whose first looks nearly the same, with two
        of number, date and total. Never withdrawn ones, nor a file that was split."""
        ...

    async def list_old_keys(self, unit: Unit, *, limit: int) -> list[UUID]:
        """Documents whose keys were made by older rules."""
        ...
