"""A gate that stands open, and remembers who went through and what it cost them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from math import inf


@dataclass(slots=True)
class Passed:
    owner_id: str
    estimate: Decimal
    cost: Decimal | None = None

    def tell(self, cost: Decimal) -> None:
        self.cost = cost


@dataclass(slots=True)
class OpenGate:
    passed: list[Passed] = field(default_factory=list)

    @asynccontextmanager
    async def call(
        self, owner_id: str, estimate: Decimal, left_s: float = inf
    ) -> AsyncIterator[Passed]:
        self.passed.append(Passed(owner_id, estimate))
        yield self.passed[-1]
