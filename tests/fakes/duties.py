"""Duties in memory, and numbers that a test tells them to be about."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from services.monitor.domain.conservation import Period, Sums, Violation
from services.monitor.domain.levels import Measured, Terms
from services.monitor.domain.snapshots import Number
from services.monitor.ports.duties import Done
from shared.ledger.port import Unit
from tests.fakes.clock import NOON, FakeClock


class InMemoryDuties:
    def __init__(self, clock: FakeClock) -> None:
        self.done: dict[str, tuple[Mapping[str, Any], datetime]] = {}
        self._clock = clock

    async def claim_duty(
        self, unit: Unit, name: str, every_s: float
    ) -> Mapping[str, Any] | None:
        if name not in self.done:
            return {}
        result, done_at = self.done[name]
        age_s = (self._clock.now() - done_at).total_seconds()
        return result if age_s >= every_s else None

    async def note_duty(self, unit: Unit, name: str, result: Mapping[str, Any]) -> None:
        self.done[name] = (result, self._clock.now())

    async def list_duties(self) -> list[Done]:
        now = self._clock.now()
        return [
            Done(name, result, done_at, (now - done_at).total_seconds())
            for name, (result, done_at) in sorted(self.done.items())
        ]


class FakeNumbers:
    def __init__(self) -> None:
        self.measured: list[Measured] = []
        self.counted: list[Number] = []
        self.hours: list[datetime] = []

    async def measure_levels(self, unit: Unit, terms: Terms) -> list[Measured]:
        return self.measured

    async def count_hour(self, hour: datetime) -> list[Number]:
        self.hours.append(hour)
        return list(self.counted)


class FakeConserved:
    def __init__(self) -> None:
        self.sums = Sums({}, 0)
        self.violations: list[Violation] = []
        self.audit = "intact"

    async def began_at(self) -> datetime:
        return NOON.replace(year=NOON.year - 1)

    async def count_accepted(self, period: Period, *, unit: Unit | None = None) -> Sums:
        return self.sums

    async def find_violations(
        self, period: Period, limit: int, *, unit: Unit | None = None
    ) -> Sequence[Violation]:
        return self.violations

    async def verify_audit(self) -> str:
        return self.audit
