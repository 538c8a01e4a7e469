"""What the door knows of whoever makes a request, asked by the handlers on the way.

The door refuses in its own words, which pass through the handlers untouched.
"""

from collections.abc import Sequence
from typing import Protocol

from services.ingest.domain.documents import NewDocument
from shared.access.keys import Quota
from shared.ledger.port import Unit
from shared.limits.days import Amount, Day


class Admission(Protocol):
    @property
    def is_metered(self) -> bool:
        """Whether `charge` counts, and may refuse."""

    async def require_room(self) -> None:
        """Before bytes are read: some of today's quota is left."""

    async def require_still_known(self) -> None:
        """When bytes have been read, which may have taken long: the key still lives."""

    async def charge(self, unit: Unit, documents: Sequence[NewDocument]) -> None:
        """In the commit that accepts them, and late in it: they fit into today's quota."""


class Unmetered:
    """For what comes by message: nobody's key, and the broker's own rights."""

    is_metered = False

    async def require_room(self) -> None: ...

    async def require_still_known(self) -> None: ...

    async def charge(self, unit: Unit, documents: Sequence[NewDocument]) -> None: ...


UNMETERED = Unmetered()


class Quotas(Protocol):
    async def find_use(self, key_id: str) -> Day: ...

    async def count_use(
        self, unit: Unit, key_id: str, spent: Amount, quota: Quota
    ) -> tuple[bool, Day]:
        """All of it or, where that would be more than the quota, nothing; and the day then."""
