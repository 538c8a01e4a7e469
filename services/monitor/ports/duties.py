"""What duties need from the outside: whose turn it is, and the numbers they are about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from services.monitor.domain.conservation import Period, Sums, Violation
from services.monitor.domain.levels import Measured, Terms
from services.monitor.domain.snapshots import Number
from shared.ledger.port import Unit


@dataclass(frozen=True, slots=True)
class Done:
    name: str
    result: Mapping[str, Any]
    done_at: datetime
    age_s: float


class Duties(Protocol):
    async def claim_duty(
        self, unit: Unit, name: str, every_s: float
    ) -> Mapping[str, Any] | None:
        """What came of it the last time, empty at first; until the commit it is nobody else's.
        None when it is not time, or somebody else does it just now."""
        ...

    async def note_duty(self, unit: Unit, name: str, result: Mapping[str, Any]) -> None: ...

    async def list_duties(self) -> list[Done]: ...


class Numbers(Protocol):
    async def measure_levels(self, unit: Unit, terms: Terms) -> list[Measured]: ...

    async def count_hour(self, hour: datetime) -> list[Number]:
        """What happened in it."""
        ...


class Conserved(Protocol):
    async def began_at(self) -> datetime: ...

    async def count_accepted(self, period: Period, *, unit: Unit | None = None) -> Sums: ...

    async def find_violations(
        self, period: Period, limit: int, *, unit: Unit | None = None
    ) -> Sequence[Violation]: ...

    async def verify_audit(self) -> str:
        """`intact`, or what is wrong and where."""
        ...


class Snapshots(Protocol):
    async def keep_snapshot(
        self, hour: datetime, taken_at: datetime, numbers: Sequence[Number]
    ) -> None:
        """As JSON and as Parquet, under the hour: twice is once. Raises Retryable."""
        ...

    async def forget_snapshots(self, before: datetime) -> int: ...
