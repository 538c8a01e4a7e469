"""What has to be erased, and what lies in the object store without belonging to a document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from shared.ledger.port import Unit


@dataclass(frozen=True, slots=True)
class Erasure:
    """A deleted document whose bytes may still be there; `tries` counts this one."""

    document_id: UUID
    content_key: str
    tries: int


class Erasures(Protocol):
    """Rows that outlive a crash, each until every service has reported."""

    async def plan_erasures(self, unit: Unit, content_keys: Mapping[UUID, str]) -> None:
        """By the documents that had them, in the commit that deletes these."""

    async def claim_erasures(self, *, count: int) -> list[Erasure]:
        """Those to be tried now; nobody else tries them for a while."""

    async def note_erased(self, unit: Unit, reports: Sequence[tuple[UUID, str]]) -> None:
        """Documents with a service that holds nothing of them any more. Twice is once."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Which folder is next; `resumed` when nobody has walked for a while."""

    folder: int
    resumed: bool


class Orphans(Protocol):
    """Contents that no document refers to, with the time from which on they may be erased."""

    async def claim_walk(self, *, lease_s: float, pause_s: float) -> Walk | None:
        """None while another replica walks."""

    async def end_walk(self, folder: int) -> None:
        """The next one begins there."""

    async def note_orphans(self, content_keys: Sequence[str], *, after_s: float) -> None: ...

    async def spare_contents(self, content_keys: Sequence[str], *, for_s: float) -> None:
        """Whether or not they have a document by then."""

    async def is_submission_paused(self) -> bool: ...

    async def postpone_orphans(self, *, after_s: float) -> None: ...

    async def list_due_orphans(self, *, limit: int) -> list[str]: ...

    async def forget_orphan(self, content_key: str) -> None: ...

    async def spare_for_good(self, content_key: str) -> None:
        """It is no document, so it is none of ours."""
