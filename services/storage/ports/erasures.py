"""What is erased and not reported yet."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from services.storage.domain.erasing import Erasing
from shared.ledger.port import Unit


class Erasures(Protocol):
    async def await_erasures(self, unit: Unit, erasures: Sequence[Erasing]) -> None:
        """In the commit that erases them, behind it. Twice is once."""
        ...

    async def are_there_any(self, unit: Unit) -> bool: ...

    async def place_erasures(self, unit: Unit) -> list[UUID]:
        """Find out from which revision of its day on each of them is gone. Those of which it
        was found out now; of each it is once."""
        ...

    async def lock_erased(self, unit: Unit, limit: int) -> list[Erasing]:
        """Those of which their days show nothing any more."""
        ...

    async def forget_erasures(self, unit: Unit, document_ids: Sequence[UUID]) -> None: ...
