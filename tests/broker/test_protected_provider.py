"""Two replicas and one provider: what it says to one of them, both respect (F34 to F39)."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from decimal import Decimal

import pytest

import shared.limits
from services.extractor.adapters.gemini.engine import GeminiEngine
from services.extractor.adapters.spending import PostgresSpending
from services.extractor.domain.protection import BreakerTerms, Ceilings, Reservation
from services.extractor.domain.providers import NoReading, NotAsked
from shared.errors import Deferred, Retryable
from tests.broker.database import migrations_of
from tests.broker.provider_bench import ProviderTerms, engine_behind_gate, read
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.eventually import eventually
from tests.gemini_double.server import GeminiDouble


@pytest.fixture
async def schema(database_url: str) -> AsyncIterator[ServiceSchema]:
    limits = migrations_of(shared.limits)
    async with service_schema(database_url, "extractor", [limits]) as schema:
        yield schema


class Replicas:
    def __init__(
        self, schema: ServiceSchema, double: GeminiDouble, stack: AsyncExitStack
    ) -> None:
        self.double = double
        self.terms = ProviderTerms()
        self._schema = schema
        self._stack = stack

    async def start(self, count: int = 2) -> Sequence[GeminiEngine]:
        return [
            await self._stack.enter_async_context(
                engine_behind_gate(self._schema.pool, self.double, self.terms)
            )
            for _ in range(count)
        ]

    async def used(self) -> Decimal:
        used: Decimal = await self._schema.owner.fetchval(
            "SELECT reserved + spent FROM spending WHERE payer = ''"
        )
        return used

    async def outage(self, one: GeminiEngine, other: GeminiEngine) -> None:
        """By turns, until the breaker opens."""
        self.double.will("error_503")
        for turn in range(5):
            with pytest.raises((Retryable, Deferred)):
                await read(other if turn % 2 else one)


@pytest.fixture
async def replicas(schema: ServiceSchema) -> AsyncIterator[Replicas]:
    async with AsyncExitStack() as stack:
        double = await stack.enter_async_context(GeminiDouble())
        yield Replicas(schema, double, stack)


async def _is_read(engine: GeminiEngine) -> bool:
    try:
        await read(engine)
    except Deferred:
        return False
    return True


async def test_nobody_calls_before_the_hint_and_no_attempt_is_burnt(
    replicas: Replicas,
) -> None:
    one, other = await replicas.start()
    replicas.double.will("rate_minute", count=1, retry_delay="1.5s")

    with pytest.raises(Deferred) as throttled:
        await read(one)
    # Both keep coming back long before it is time.
    await asyncio.gather(*(eventually(lambda it=it: _is_read(it)) for it in (one, other)))

    first, *others = replicas.double.ledger.calls
    assert throttled.value.after_s == 1.5
    assert len(others) == 2
    assert min(call.at for call in others) - first.at >= 1.5


async def test_without_a_hint_everybody_backs_off_and_no_attempt_is_burnt(
    replicas: Replicas,
) -> None:
    replicas.terms.calls = replace(replicas.terms.calls, backoff_s=0.2, nap_s_max=0)
    one, other = await replicas.start()
    replicas.double.will("rate_bare", count=3)

    await asyncio.gather(*(eventually(lambda it=it: _is_read(it)) for it in (one, other)))

    assert replicas.double.ledger.count == 5


async def test_a_spent_day_ends_the_calls_of_all_replicas(replicas: Replicas) -> None:
    one, other = await replicas.start()
    replicas.double.will("rate_day", retry_delay="3s")

    for engine in (one, other, one, other):
        with pytest.raises(NotAsked, match="day_quota"):
            await read(engine)

    assert replicas.double.ledger.count == 1


async def test_five_failures_of_all_replicas_together_end_the_calls(
    replicas: Replicas,
) -> None:
    replicas.terms.breaker = BreakerTerms(recovery_timeout_s=3600)
    one, other = await replicas.start()

    await replicas.outage(one, other)
    # The one that did not open it learns of it within a second.
    await eventually(lambda: _is_turned_away(other))
    heard = replicas.double.ledger.count

    for engine in (one, other) * 5:
        with pytest.raises(Deferred):
            await read(engine)
    assert heard >= 5
    assert replicas.double.ledger.count == heard


async def _is_turned_away(engine: GeminiEngine) -> bool:
    try:
        await read(engine)
    except Deferred:
        return True
    except Retryable:
        pass
    return False


async def test_one_call_of_all_tells_whether_the_provider_is_back(
    replicas: Replicas,
) -> None:
    one, other = await replicas.start()
    await replicas.outage(one, other)
    await eventually(lambda: _is_turned_away(other))
    replicas.double.forget()
    # Slow, so that everybody comes back while the answer is on its way.
    replicas.double.will("ok", delay_s=0.5)

    async def until_read(engine: GeminiEngine) -> None:
        await eventually(lambda: _is_read(engine))

    await asyncio.gather(*(until_read(engine) for engine in (one, other) * 4))

    probe, *others = replicas.double.ledger.calls
    assert len(others) == 7
    assert probe.seconds is not None
    assert min(call.at for call in others) >= probe.at + probe.seconds - 0.001


async def test_a_call_that_hangs_is_cut_off_and_counts_as_paid(replicas: Replicas) -> None:
    replicas.terms.calls = replace(replicas.terms.calls, deadline_s=0.3)
    [one] = await replicas.start(1)
    for mode in ("hang", "drip"):
        replicas.double.will(mode)

        with pytest.raises(Retryable, match="timeout"):
            await read(one)

    # 8,000 tokens in and 4,000 out, twice.
    assert await replicas.used() == 2 * Decimal("0.021")


@pytest.mark.parametrize("mode", ["garbage", "wrong_schema", "truncated", "empty", "safety"])
async def test_an_answer_of_no_use_is_paid_for_and_is_no_failure_of_the_provider(
    replicas: Replicas, mode: str
) -> None:
    [one] = await replicas.start(1)
    replicas.double.will(mode)

    for _ in range(6):
        with pytest.raises(NoReading):
            await read(one)
    replicas.double.will("ok")

    await read(one)
    assert await replicas.used() > 0


async def test_a_wrong_key_costs_no_document_an_attempt(replicas: Replicas) -> None:
    replicas.double.key = "another"
    replicas.terms.breaker = BreakerTerms(recovery_timeout_s=3600, patience_s=0)
    [one] = await replicas.start(1)

    for _ in range(4):
        with pytest.raises(Deferred):
            await read(one)
    for _ in range(3):
        with pytest.raises(NotAsked, match="credentials"):
            await read(one)

    assert replicas.double.ledger.unauthorized == 5


async def test_of_many_at_once_only_those_are_asked_for_that_can_be_paid(
    replicas: Replicas,
) -> None:
    # Of 2.1 cents each by estimate, which is what counts while they are under way.
    replicas.terms.ceilings = Ceilings(total=Decimal("0.07"))
    one, other = await replicas.start()
    replicas.double.will("ok", delay_s=0.3)

    ends = await asyncio.gather(
        *(read(engine) for engine in (one, other) * 5), return_exceptions=True
    )

    assert sum(isinstance(end, NotAsked) for end in ends) == 7
    assert replicas.double.ledger.count == 3
    assert 0 < await replicas.used() < Decimal("0.07")


async def test_days_long_past_are_forgotten(schema: ServiceSchema) -> None:
    await schema.owner.execute(
        "INSERT INTO spending (day, payer) SELECT now()::date - ago, 'acme'"
        " FROM unnest(ARRAY[1, 399, 402]) AS past (ago)"
    )

    await PostgresSpending(schema.pool, Ceilings()).reserve_spending("acme", Decimal(1))

    kept = await schema.owner.fetchval("SELECT count(*) FROM spending WHERE payer = 'acme'")
    assert kept == 3


async def test_the_rate_holds_for_all_replicas_together(replicas: Replicas) -> None:
    replicas.terms.calls_per_s = 10
    one, other = await replicas.start()

    async def until_read(engine: GeminiEngine) -> None:
        await eventually(lambda: _is_read(engine))

    began = time.time()
    await asyncio.gather(*(until_read(engine) for engine in (one, other) * 12))

    calls = replicas.double.ledger.calls
    # A second's worth at once, and then one each tenth of a second.
    assert calls[-1].at - began >= (24 - 10 - 1) / 10
    assert len(calls) == 24


async def test_whoever_is_cancelled_while_money_is_set_aside_leaves_none_behind(
    schema: ServiceSchema, replicas: Replicas
) -> None:
    spending = PostgresSpending(schema.pool, Ceilings())
    await spending.reserve_spending("acme", Decimal(0))

    for rounds in range(40):
        asked = [
            asyncio.ensure_future(spending.reserve_spending("acme", Decimal(1)))
            for _ in range(3)
        ]
        for _ in range(rounds):
            await asyncio.sleep(0)
        for one in asked:
            one.cancel()
        for told in await asyncio.gather(*asked, return_exceptions=True):
            # It had been answered before it could be cancelled.
            if isinstance(told, Reservation):
                await spending.settle_spending(told, Decimal(0))

    assert await replicas.used() == 0
