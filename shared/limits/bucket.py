"""One rate for all replicas, without a query per request.

The tokens lie in a row of PostgreSQL and are leased in chunks, more at a time the faster they
are used. A lease is short and what was not used goes back with the next one, so an idle
replica starves nobody; a crash loses a chunk, which errs on the side of the provider.
"""

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from shared.database.pool import Pool, Row
from shared.database.statements import statement

DECLARE = statement(__file__, "declare")
LEASE = statement(__file__, "lease")
HOLD = statement(__file__, "hold")

# A refusal must never be zero seconds long: zero means go.
WAIT_MIN_S = 0.01


@dataclass(frozen=True, slots=True)
class Budget:
    """`capacity` is the burst that is allowed after a pause."""

    name: str
    rate_per_s: float
    capacity: int
    chunk_max: int = 10
    lease_s: float = 1.0

    def __post_init__(self) -> None:
        finite = math.isfinite(self.rate_per_s) and self.rate_per_s > 0
        if not finite or self.capacity < 1 or self.chunk_max < 1:
            raise ValueError(f"not a budget: {self}")


class TokenBucket:
    def __init__(
        self, pool: Pool, budget: Budget, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._pool = pool
        self._budget = budget
        self._monotonic = monotonic
        self._turn = asyncio.Lock()
        self._declared = False
        self._leased = self._used = self._refused = 0
        self._lease_ends_at = self._dry_until = 0.0
        self._chunk = 1
        self._remaining = budget.capacity

    async def take(self, tokens: int = 1) -> float:
        """Zero: go. Otherwise the seconds after which asking again is worth it."""
        if not 1 <= tokens <= self._budget.capacity:
            raise ValueError(f"{tokens} tokens never fit into {self._budget}")
        async with self._turn:
            usable = self._usable()
            if usable < tokens and self._monotonic() >= self._dry_until:
                await self._lease_more(tokens)
                # Not asked of the clock again: what was just granted is good for this one.
                usable = self._leased
            if usable < tokens:
                return self._wait_s(tokens)
            self._leased -= tokens
            self._used += tokens
            return 0.0

    @property
    def left(self) -> int:
        """What could be taken at once, as far as this replica knows."""
        return self._usable() + self._remaining

    async def hold(self, for_s: float) -> None:
        """Nobody gets a token for so long: the provider asked for it. Never shortens a hold."""
        async with self._turn:
            await self._declare_once()
            self._leased = 0
            self._dry_until = max(self._dry_until, self._monotonic() + for_s)
            await self._pool.execute(HOLD, self._budget.name, for_s)

    def _usable(self) -> int:
        return self._leased if self._monotonic() < self._lease_ends_at else 0

    async def _lease_more(self, needed: int) -> None:
        await self._declare_once()
        if self._monotonic() < self._lease_ends_at:
            self._chunk = min(2 * self._chunk, self._budget.chunk_max)
        else:
            self._chunk = max(1, min(self._used, self._budget.chunk_max))
        # Forgotten before the query: should its answer be lost, nothing is given back twice.
        returned, self._leased, self._used, self._refused = self._leased, 0, 0, 0
        row = await self._lease(needed, max(needed, self._chunk), returned)
        asked_at = self._monotonic()
        self._leased = int(row["granted"])
        self._remaining = int(row["remaining"])
        self._lease_ends_at = asked_at + self._budget.lease_s
        self._dry_until = asked_at + float(row["wait_s"])

    async def _lease(self, needed: int, wanted: int, returned: int) -> Row:
        arguments = (self._budget.name, needed, wanted, returned)
        row = await self._pool.fetchrow(LEASE, *arguments)
        if row is None:
            # Somebody cleared the table; the budget is ours to declare again.
            await self._declare()
            row = await self._pool.fetchrow(LEASE, *arguments)
        if row is None:
            raise RuntimeError(f"the bucket {self._budget.name!r} cannot be declared")
        return row

    async def _declare_once(self) -> None:
        if not self._declared:
            await self._declare()
            self._declared = True

    async def _declare(self) -> None:
        budget = self._budget
        await self._pool.execute(DECLARE, budget.name, budget.rate_per_s, budget.capacity)

    def _wait_s(self, tokens: int) -> float:
        # Those who are refused together would return together; each is sent behind the last.
        behind_s = self._refused / self._budget.rate_per_s
        self._refused += tokens
        return max(self._dry_until - self._monotonic(), WAIT_MIN_S) + behind_s
