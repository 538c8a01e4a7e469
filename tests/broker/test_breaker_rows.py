"""The row of a breaker and its copies: how old they may be, and when a day ends."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from services.extractor.adapters.breaker import PostgresBreaker
from services.extractor.adapters.conditions import tell_conditions
from services.extractor.domain.protection import DAY_QUOTA, BreakerTerms
from shared import limits
from shared.limits.bucket import Budget, TokenBucket
from shared.observability.metrics import REGISTRY
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.eventually import eventually


@pytest.fixture
async def schema(database_url: str) -> AsyncIterator[ServiceSchema]:
    async with service_schema(database_url, "extractor", []) as schema:
        yield schema


async def test_a_closed_breaker_is_looked_at_once_a_second(schema: ServiceSchema) -> None:
    now_s = 100.0
    breaker = PostgresBreaker(schema.pool, "gemini", BreakerTerms(), monotonic=lambda: now_s)
    assert (await breaker.admit()).may_ask
    other = PostgresBreaker(schema.pool, "gemini", BreakerTerms())
    for _ in range(5):
        await other.note_failure(None, "server_error")

    now_s += 0.9
    assert (await breaker.admit()).may_ask
    now_s += 0.1
    assert not (await breaker.admit()).may_ask


@pytest.mark.parametrize("meanwhile", ["it is not time yet", "another makes the probe"])
async def test_a_copy_that_believes_it_is_time_asks_the_row_before_it_probes(
    schema: ServiceSchema, meanwhile: str
) -> None:
    now_s = 100.0
    late = PostgresBreaker(
        schema.pool, "gemini", BreakerTerms(), copy_s_max=3600, monotonic=lambda: now_s
    )
    other = PostgresBreaker(schema.pool, "gemini", BreakerTerms(), copy_s_max=0)
    for _ in range(5):
        await other.note_failure(None, "server_error")
    assert not (await late.admit()).may_ask
    if meanwhile == "another makes the probe":
        await schema.owner.execute("UPDATE breakers SET due_at = now()")
        assert (await other.admit()).may_ask

    now_s += 60

    assert not (await late.admit()).may_ask


@pytest.mark.parametrize(
    ("at", "due_in_s"),
    [
        # The provider may not have noticed yet: another whole day would be too long.
        pytest.param("00:05", 300, id="right after its midnight"),
        pytest.param("22:00", 7200, id="late in its day"),
    ],
)
async def test_a_spent_day_ends_at_the_midnight_of_the_provider(
    schema: ServiceSchema, at: str, due_in_s: float
) -> None:
    # A zone in which it is that time just now.
    zone = await schema.owner.fetchval(
        "SELECT '<here>' || to_char("
        "(now() AT TIME ZONE 'UTC')::time - $1::text::time + interval '24 hours',"
        " 'HH24:MI:SS')",
        at,
    )
    breaker = PostgresBreaker(schema.pool, "gemini", BreakerTerms(quota_zone=zone))

    tripped = await breaker.trip_breaker(DAY_QUOTA)

    assert tripped.due_in_s == pytest.approx(due_in_s, abs=10)


async def test_whoever_asks_nothing_tells_the_state_all_the_same(
    schema: ServiceSchema,
) -> None:
    idle, other = (
        PostgresBreaker(schema.pool, "idle", BreakerTerms(failure_threshold=1))
        for _ in range(2)
    )
    # Written down by nobody who has anything to do with metrics.
    await other.note_failure(None, "timeout")
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(idle.keep_watching(every_s=0.01))
        await eventually(lambda: _told("idle") == 2)
        await schema.owner.execute(
            "UPDATE breakers SET state = 'closed', opened_at = NULL, due_at = NULL"
        )
        await eventually(lambda: _told("idle") == 0)
        watching.cancel()


def _told(name: str) -> float | None:
    return REGISTRY.get_sample_value("paperline_breaker_state", {"dependency": name})


async def test_operators_are_told_how_it_stands_and_what_is_left(database_url: str) -> None:
    async with service_schema(database_url, "extractor", [limits.MIGRATIONS]) as schema:
        breaker = PostgresBreaker(schema.pool, "gemini", BreakerTerms())
        bucket = TokenBucket(schema.pool, Budget("model:flash", 0.001, 5, chunk_max=2))
        await breaker.note_failure(None, "server_error")
        await bucket.take()

        before = await tell_conditions(schema.pool)
        for _ in range(4):
            await breaker.note_failure(None, "server_error")
        await bucket.hold(60)
        after = await tell_conditions(schema.pool)

    assert before["breaker.gemini"] == "closed"
    assert before["rate.model:flash"].startswith("4 of 5 left")
    assert after["breaker.gemini"].startswith("open: server_error since 20")
    assert after["rate.model:flash"].startswith("held until 20")
