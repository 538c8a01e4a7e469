"""A provider behind its gate, guarded in memory, and calls that end as they are told."""

from decimal import Decimal

import pytest

from services.extractor.domain.protection import BreakerTerms, CallTerms
from services.extractor.domain.providers import Away
from services.extractor.handlers.protection import Guards, ProviderGate
from shared.errors import Deferred, Retryable
from tests.fakes.providers import (
    FakePauses,
    FakeRate,
    InMemoryBreaker,
    InMemorySpending,
    Naps,
)

OWNER = "acme"
ESTIMATE = Decimal("0.02")
COST = Decimal("0.0042")


class ProviderWorld:
    def __init__(self) -> None:
        self.breaker = InMemoryBreaker(BreakerTerms(failure_threshold=5, patience_s=900))
        self.rate = FakeRate()
        self.spending = InMemorySpending()
        self.pauses = FakePauses()
        self.naps = Naps()
        self.terms = CallTerms("gemini")
        self.calls = 0

    @property
    def gate(self) -> ProviderGate:
        guards = Guards(self.breaker, self.rate, self.spending, self.pauses)
        return ProviderGate(guards, self.terms, nap=self.naps, uniform=lambda: 0.5)

    async def ask(self, error: BaseException | None = None) -> None:
        async with self.gate.call(OWNER, ESTIMATE) as charge:
            self.calls += 1
            if error is not None:
                raise error
            charge.tell(COST)

    async def fail(self, times: int) -> None:
        for _ in range(times):
            with pytest.raises((Retryable, Deferred)):
                await self.ask(Away("server_error"))

    async def outage(self) -> None:
        await self.fail(5)

    @property
    def spent(self) -> Decimal:
        return self.spending.used.get(OWNER, Decimal(0))
