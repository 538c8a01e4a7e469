"""What the queue needs from the outside: in which order, whose, until when."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from services.review.domain.claims import Claimant, Postponement, Reviewer, Woken
from services.review.domain.items import ReviewItem
from services.review.domain.listing import RankedPlace, Wanted
from services.review.domain.ranking import Plan
from shared.ledger.port import Unit


class Queue(Protocol):
    """Each change answers with the item, or None where its state forbids the change."""

    async def wake_items(self, unit: Unit, limit: int) -> list[Woken]:
        """Those whose claim has ended and those put off until now are free again."""
        ...

    async def find_next_item(
        self, claimant: Claimant, *, after: UUID | None
    ) -> ReviewItem | None:
        """What would be lent next, but for one."""
        ...

    async def extend_claim(
        self, unit: Unit, *, document_id: UUID, reviewer: str, lease_s: float
    ) -> ReviewItem | None: ...

    async def take_over_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str, lease_s: float
    ) -> ReviewItem | None: ...

    async def assign_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str | None
    ) -> ReviewItem | None: ...

    async def postpone_item(
        self, unit: Unit, postponement: Postponement, reviewer: str
    ) -> ReviewItem | None:
        """None as well for a time that has passed."""
        ...

    async def escalate_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str, level: int
    ) -> ReviewItem | None: ...

    async def flag_overdue(self, unit: Unit, limit: int) -> list[ReviewItem]:
        """Those that were due meanwhile; each once."""
        ...

    async def rerank_items(self, unit: Unit, plan: Plan, limit: int) -> int:
        """Open items that stand under other weights than the plan's."""
        ...

    async def try_turn(self, unit: Unit, name: str) -> bool:
        """False while another process is at the same work."""
        ...

    async def list_ranked(
        self, wanted: Wanted, after: RankedPlace, limit: int
    ) -> list[ReviewItem]:
        """Open items as they would be handed out at that moment."""
        ...


class Reviewers(Protocol):
    async def touch_reviewer(self, unit: Unit, name: str) -> Reviewer:
        """Notes that somebody is here, and makes them known."""
        ...

    async def keep_reviewer(
        self, unit: Unit, name: str, *, active: bool | None = None, level: int | None = None
    ) -> Reviewer: ...

    async def find_reviewer(self, unit: Unit, name: str) -> Reviewer | None: ...

    async def list_reviewers(self) -> list[Reviewer]: ...

    async def lock_assignment(self, unit: Unit) -> None:
        """Until the commit, nobody else counts who has how many."""
        ...

    async def list_assignable(
        self, unit: Unit, *, level: int, seen_within_s: float
    ) -> list[Reviewer]:
        """Who has waited longest comes first."""
        ...

    async def assign_opened(self, unit: Unit, chosen: Sequence[tuple[UUID, str]]) -> None: ...

    async def return_items(self, unit: Unit, reviewer: str) -> list[UUID]:
        """What they were given and have not begun is anybody's again."""
        ...
