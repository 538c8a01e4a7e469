"""What guards a provider, in memory, for all who are handed the same one."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID, uuid4

from services.extractor.domain.protection import (
    BreakerTerms,
    Ceilings,
    Circuit,
    Reservation,
)
from tests.fakes.clock import FakeClock

# When a day's quota begins anew. The clock of the tests starts at noon.
QUOTA_RESETS_IN_S = 12 * 3600.0


@dataclass(slots=True)
class InMemoryBreaker:
    terms: BreakerTerms = field(default_factory=BreakerTerms)
    clock: FakeClock = field(default_factory=FakeClock)
    circuit: Circuit = field(default_factory=Circuit)
    due_at: datetime | None = None
    patient_until: datetime | None = None

    async def admit(self) -> Circuit:
        now = self.look()
        if now.state == "closed" or now.due_in_s > 0:
            return now
        self._move(replace(now, state="half-open", probe=uuid4()), self.terms.probe_lease_s)
        return self.circuit

    async def note_answer(self, probe: UUID | None) -> None:
        if self._is_deciding(probe):
            self.circuit, self.patient_until = Circuit(), None

    async def note_failure(self, probe: UUID | None, reason: str) -> Circuit:
        if self._is_deciding(probe):
            failures = self.circuit.failures + 1
            self.circuit = replace(self.circuit, failures=failures)
            if probe is not None or failures >= self.terms.failure_threshold:
                self._open(reason, self.terms.patience_s, self.terms.recovery_timeout_s)
        return self.look()

    async def trip_breaker(self, reason: str) -> Circuit:
        self.patient_until = None
        self._open(reason, 0, QUOTA_RESETS_IN_S)
        return self.look()

    async def give_up_breaker_probe(self, probe: UUID, due_in_s: float) -> None:
        if self.circuit.probe == probe:
            self._move(replace(self.circuit, state="open", probe=None), due_in_s)

    def look(self) -> Circuit:
        """As one who has no probe sees it."""
        return replace(
            self.circuit,
            probe=None,
            due_in_s=self._left_s(self.due_at),
            patience_left_s=self._left_s(self.patient_until),
        )

    def _open(self, reason: str, patience_s: float, due_in_s: float) -> None:
        if self.patient_until is None:
            self.patient_until = self._after(patience_s)
        opened = replace(self.circuit, state="open", reason=reason, probe=None)
        self._move(opened, due_in_s)

    def _move(self, circuit: Circuit, due_in_s: float) -> None:
        self.circuit, self.due_at = circuit, self._after(due_in_s)

    def _is_deciding(self, probe: UUID | None) -> bool:
        return self.circuit.state != "open" and self.circuit.probe == probe

    def _after(self, seconds: float) -> datetime:
        return self.clock.now() + timedelta(seconds=seconds)

    def _left_s(self, moment: datetime | None) -> float:
        if moment is None or self.circuit.state == "closed":
            return 0.0
        return max((moment - self.clock.now()).total_seconds(), 0.0)


@dataclass(slots=True)
class InMemorySpending:
    ceilings: Ceilings = field(default_factory=Ceilings)
    clock: FakeClock = field(default_factory=FakeClock)
    used: dict[str, Decimal] = field(default_factory=dict)

    async def reserve_spending(self, owner_id: str, amount: Decimal) -> Reservation | None:
        for payer, most in (("", self.ceilings.total), (owner_id, self.ceilings.owner)):
            if most is not None and self.used.get(payer, Decimal(0)) + amount > most:
                return None
        self._add(owner_id, amount)
        return Reservation(self.clock.now().date(), owner_id, amount)

    async def settle_spending(self, reservation: Reservation, cost: Decimal) -> None:
        self._add(reservation.owner_id, cost - reservation.amount)

    def _add(self, owner_id: str, amount: Decimal) -> None:
        for payer in ("", owner_id):
            self.used[payer] = self.used.get(payer, Decimal(0)) + amount


@dataclass(slots=True)
class FakeRate:
    """Told how long everybody has to wait; remembers what it was told to hold."""

    waits: list[float] = field(default_factory=list)
    held: list[float] = field(default_factory=list)

    async def take(self) -> float:
        return self.waits.pop(0) if self.waits else 0.0

    async def hold(self, for_s: float) -> None:
        self.held.append(for_s)


@dataclass(slots=True)
class FakePauses:
    details: list[str] = field(default_factory=list)

    async def pause(self, detail: str) -> None:
        self.details.append(detail)


@dataclass(slots=True)
class Naps:
    """Instead of sleeping: how long it would have been."""

    slept: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)
