"""What protecting a provider needs from the outside, and what its calls have to pass."""

from contextlib import AbstractAsyncContextManager
from decimal import Decimal
from math import inf
from typing import Protocol
from uuid import UUID

from services.extractor.domain.protection import Circuit, Reservation


class Charge(Protocol):
    """What one call of a provider cost; told as soon as it is known, also when the answer is
    of no use. Untold is unknown, and counts as much as had been estimated."""

    def tell(self, cost: Decimal) -> None: ...


class Gate(Protocol):
    """Stands before each call of a provider: `async with gate.call(owner, estimate) as charge`.

    What ends the block (`Away`, `Throttled`, `Misconfigured`, or its time running out) comes
    out as what the document does now: Deferred, Retryable, or NotAsked to go on without.
    """

    def call(
        self, owner_id: str, estimate: Decimal, left_s: float = inf
    ) -> AbstractAsyncContextManager[Charge]:
        """`left_s` is what the delivery has left for all that it still does."""
        ...


class Breaker(Protocol):
    """One for all replicas. Who was let through tells how it ended, with the probe it had."""

    async def admit(self) -> Circuit: ...

    async def note_answer(self, probe: UUID | None) -> None: ...

    async def note_failure(self, probe: UUID | None, reason: str) -> Circuit:
        """How it stands now."""
        ...

    async def trip_breaker(self, reason: str) -> Circuit:
        """Open until the provider's midnight, and nobody waits for it."""
        ...

    async def give_up_breaker_probe(self, probe: UUID, due_in_s: float) -> None:
        """It told neither the one nor the other."""
        ...


class Rate(Protocol):
    """Calls per second, of all replicas together."""

    async def take(self) -> float:
        """Zero: go. Otherwise the seconds after which asking again is worth it."""
        ...

    async def hold(self, for_s: float) -> None:
        """Nobody asks for so long. Never shortens a hold."""
        ...


class Spending(Protocol):
    async def reserve_spending(self, owner_id: str, amount: Decimal) -> Reservation | None:
        """None when that would be too much, for the owner or for all together."""
        ...

    async def settle_spending(self, reservation: Reservation, cost: Decimal) -> None: ...


class Pauses(Protocol):
    async def pause(self, detail: str) -> None:
        """Take nothing from the queue for now but a document now and again, to try. Raises
        nothing."""
        ...
