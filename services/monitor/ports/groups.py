"""What groups of failures need from the outside."""

from typing import Protocol

from services.monitor.domain.groups import FailureGroup, Said
from shared.ledger.port import Unit


class Groups(Protocol):
    async def list_groups(self, limit: int) -> list[FailureGroup]:
        """Of what is not settled, the largest first."""
        ...

    async def find_said(self, fingerprint: str) -> Said: ...

    async def say_of_group(self, unit: Unit, said: Said, *, changed_by: str) -> Said | None:
        """As one more version of what `said` rests on; None when that is not current."""
        ...
