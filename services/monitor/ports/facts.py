"""What timelines need from the outside: what was told, what was sent back, what was logged."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from services.monitor.domain.sightings import Sighting
from services.monitor.domain.timelines import Deed, FoundDocument, Sent, ToldFact
from shared.ledger.port import Unit


class Facts(Protocol):
    async def keep_facts(
        self, unit: Unit, facts: Sequence[ToldFact], sightings: Sequence[Sighting]
    ) -> set[UUID]:
        """Each once, after their documents have moved: a deleted one's say nothing. Those that
        moved forward; the others stood there or further already."""
        ...

    async def strip_facts(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        """That they were told stays, what they told goes."""
        ...

    async def forget_facts(self, days: int, limit: int) -> int:
        """Those older than so many days; how many went."""
        ...

    async def forget_purged(self, days: int, limit: int) -> int:
        """Of letters that went so long ago, that there were any; how many."""
        ...

    async def find_document(self, document_id: UUID) -> FoundDocument | None: ...

    async def find_documents(
        self, *, sha256: str | None, filename: str | None, limit: int
    ) -> list[FoundDocument]:
        """With these bytes, or whose file name begins so; the latest first."""
        ...

    async def list_facts(self, document_id: UUID, limit: int) -> list[ToldFact]: ...

    async def list_replays_of(self, document_id: UUID, limit: int) -> list[Sent]: ...

    async def list_deeds(self, resources: Sequence[str], limit: int) -> list[Deed]: ...


class Logs(Protocol):
    async def read_logs(
        self, document_id: UUID, job_id: UUID, run: int, attempts: int
    ) -> dict[int, str]:
        """What each attempt of a job had to say, where it was kept. Raises Retryable."""
        ...
