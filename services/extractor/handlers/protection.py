"""What a provider's calls have to pass: the breaker, the money, the rate, a time limit.

Every way in which a call ends is told to whoever keeps count of it, and comes out as what the
document does now. It waits on the delay ladder while waiting may help; it goes on without the
provider (`NotAsked`) when patience is over; an attempt it pays only for a failure of its own.
"""

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from math import inf, isinf
from typing import NoReturn
from uuid import UUID

from services.extractor.domain.protection import (
    CREDENTIALS,
    DAY_QUOTA,
    CallTerms,
    Circuit,
    Reservation,
)
from services.extractor.domain.providers import (
    Away,
    Misconfigured,
    NoReading,
    NotAsked,
    NotAskedReason,
    Throttled,
)
from services.extractor.handlers.accounting import Bill
from services.extractor.ports.protection import Breaker, Charge, Pauses, Rate, Spending
from shared.errors import Deferred, Retryable
from shared.observability.metrics import (
    LLM_CALLS_IN_FLIGHT,
    LLM_NOT_ASKED,
    LLM_THROTTLE_WAIT_SECONDS,
    LLM_THROTTLED,
)

log = logging.getLogger(__name__)

# Whoever comes while another makes the probe: it will know soon.
WHILE_PROBED_S = 5.0
MISCONFIGURED_AFTER_S = 10.0
WHILE_BUSY_S = 1.0
RATE_AT_MOST_S = 30.0
# A hold must never be zero seconds long.
BACKOFF_S_MIN = 0.1
GIVE_UP_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class Guards:
    breaker: Breaker
    rate: Rate
    spending: Spending
    pauses: Pauses


class ProviderFailed(Retryable):
    """Asking again may help. Whoever knows that this was the last time goes on without."""

    @property
    def missed(self) -> NotAsked:
        return NotAsked("outage", str(self))


class ProviderGate:
    """Implements `ports.Gate`."""

    def __init__(
        self,
        guards: Guards,
        terms: CallTerms,
        *,
        nap: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], float] = time.monotonic,
        uniform: Callable[[], float] = random.random,
    ) -> None:
        self._guards = guards
        self._terms = terms
        self._nap = nap
        self._now = now
        self._uniform = uniform
        self._slots = asyncio.Semaphore(terms.at_once)
        # How often in a row we were refused without being told for how long.
        self._unhinted = 0

    @asynccontextmanager
    async def call(
        self, owner_id: str, estimate: Decimal, left_s: float = inf
    ) -> AsyncIterator[Charge]:
        ends_at = self._now() + left_s
        async with self._slot(left_s - self._terms.deadline_s):
            circuit = await self._guards.breaker.admit()
            if not circuit.may_ask:
                await self._turn_away(circuit)
            async with self._reported(circuit.probe):
                await self._wait_for_turn()
                bill = Bill(await self._reserve(owner_id, estimate), self._guards.spending)
                in_flight = LLM_CALLS_IN_FLIGHT.labels(self._terms.provider)
                with in_flight.track_inprogress():
                    async with bill, self._limited(ends_at - self._now()):
                        yield bill

    @asynccontextmanager
    async def _slot(self, patience_s: float) -> AsyncIterator[None]:
        """Whoever got none while there was time for a call comes back with new time."""
        try:
            async with asyncio.timeout(None if isinf(patience_s) else max(patience_s, 0.0)):
                await self._slots.acquire()
        except TimeoutError as error:
            busy = f"all calls of {self._terms.provider} are taken"
            raise Deferred(busy, after_s=WHILE_BUSY_S, at_most_s=RATE_AT_MOST_S) from error
        try:
            yield
        finally:
            self._slots.release()

    @asynccontextmanager
    async def _limited(self, left_s: float) -> AsyncIterator[None]:
        """A call has its own time. Where the delivery has less, it is not the provider's fault
        that this was too little, and the breaker does not hear of it."""
        try:
            async with asyncio.timeout(min(self._terms.deadline_s, left_s)) as limit:
                yield
        except TimeoutError as error:
            if not limit.expired():
                raise
            if left_s < self._terms.deadline_s:
                raise ProviderFailed("no time was left for the model") from error
            raise Away("timeout") from error

    @asynccontextmanager
    async def _reported(self, probe: UUID | None) -> AsyncIterator[None]:
        """The breaker hears how it ended, or else gets its probe back."""
        is_told = False
        try:
            yield
            is_told = await self._answered(probe)
        except NoReading:
            # The document's fault: the provider is well.
            is_told = await self._answered(probe)
            raise
        except (Away, Misconfigured) as error:
            is_told = True
            await self._failed(probe, error)
        except Throttled as error:
            await self._throttled(error)
        finally:
            if probe is not None and not is_told:
                await self._give_up(probe)

    async def _turn_away(self, circuit: Circuit) -> NoReturn:
        why = f"{self._terms.provider} is away ({circuit.reason})"
        if circuit.patience_left_s <= 0:
            self._do_without(_reason_of(circuit), why)
        await self._guards.pauses.pause(why)
        due_in_s = circuit.due_in_s
        if circuit.state == "half-open":
            due_in_s = min(due_in_s, WHILE_PROBED_S)
        after_s = max(min(due_in_s, circuit.patience_left_s), 1.0)
        raise Deferred(why, after_s=after_s, at_most_s=after_s)

    def _do_without(self, reason: NotAskedReason, why: str) -> NoReturn:
        LLM_NOT_ASKED.labels(reason).inc()
        raise NotAsked(reason, why)

    async def _wait_for_turn(self) -> None:
        """Short waits are slept, longer ones are spent outside."""
        slept_s = 0.0
        while (wait_s := await self._guards.rate.take()) > 0:
            if slept_s + wait_s > self._terms.nap_s_max:
                LLM_THROTTLE_WAIT_SECONDS.observe(slept_s + wait_s)
                raise Deferred(
                    f"rate limit of {self._terms.provider}",
                    after_s=wait_s,
                    at_most_s=RATE_AT_MOST_S,
                )
            await self._nap(wait_s)
            slept_s += wait_s
        LLM_THROTTLE_WAIT_SECONDS.observe(slept_s)

    async def _reserve(self, owner_id: str, estimate: Decimal) -> Reservation:
        reservation = await self._guards.spending.reserve_spending(owner_id, estimate)
        if reservation is None:
            self._do_without("cost_ceiling", "today's budget is spent")
        return reservation

    async def _answered(self, probe: UUID | None) -> bool:
        self._unhinted = 0
        try:
            await self._guards.breaker.note_answer(probe)
        except Retryable as away:
            # The answer was paid for: it is not thrown away because we cannot count it.
            log.warning("answer_not_noted", extra={"error": str(away)})
            return False
        return True

    async def _failed(self, probe: UUID | None, error: Away | Misconfigured) -> NoReturn:
        circuit = await self._guards.breaker.note_failure(probe, _failure(error))
        if not circuit.may_ask:
            await self._turn_away(circuit)
        words = f"{self._terms.provider} failed ({error.reason})"
        if isinstance(error, Misconfigured):
            # No document's fault, so none pays for it with an attempt.
            raise Deferred(words, after_s=MISCONFIGURED_AFTER_S)
        raise ProviderFailed(words, after_s=error.after_s)

    async def _throttled(self, error: Throttled) -> NoReturn:
        provider = self._terms.provider
        LLM_THROTTLED.labels(provider, "day" if error.per_day else "minute").inc()
        if error.per_day:
            await self._guards.breaker.trip_breaker(DAY_QUOTA)
            self._do_without(DAY_QUOTA, f"the daily quota of {provider} is used up")
        wait_s = self._hint_s(error)
        await self._guards.rate.hold(wait_s)
        raise Deferred(f"rate limit of {provider}", after_s=wait_s, at_most_s=wait_s)

    def _hint_s(self, error: Throttled) -> float:
        terms = self._terms
        if error.after_s is not None:
            return min(error.after_s, terms.hint_s_max)
        # All who were refused together come back spread over the whole wait.
        limit_s = min(terms.backoff_s * 2.0 ** min(self._unhinted, 16), terms.backoff_s_max)
        self._unhinted += 1
        return max(self._uniform() * limit_s, BACKOFF_S_MIN)

    async def _give_up(self, probe: UUID) -> None:
        try:
            async with asyncio.timeout(GIVE_UP_TIMEOUT_S):
                await self._guards.breaker.give_up_breaker_probe(probe, 0.0)
        except (Retryable, TimeoutError) as error:
            # It runs out by itself.
            log.warning("probe_not_given_up", extra={"error": str(error)})


def _failure(error: Away | Misconfigured) -> str:
    if isinstance(error, Misconfigured) and error.reason in ("key", "account"):
        return CREDENTIALS
    return error.reason


def _reason_of(circuit: Circuit) -> NotAskedReason:
    if circuit.reason == DAY_QUOTA:
        return "day_quota"
    return "credentials" if circuit.reason == CREDENTIALS else "outage"
