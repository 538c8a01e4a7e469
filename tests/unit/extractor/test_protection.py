"""What a provider's calls have to pass, and what becomes of a document when one fails."""

import asyncio

import pytest

from services.extractor.domain.protection import CallTerms, Ceilings
from services.extractor.domain.providers import (
    Away,
    Misconfigured,
    NoReading,
    NotAsked,
    Refused,
    Throttled,
)
from services.extractor.domain.reading import Finding, Usage
from services.extractor.handlers.protection import ProviderFailed
from shared.errors import Deferred, Rejected, Retryable
from tests.unit.extractor.provider_world import COST, ESTIMATE, OWNER, ProviderWorld


@pytest.fixture
def world() -> ProviderWorld:
    return ProviderWorld()


async def test_a_call_that_is_answered_costs_what_it_cost(world: ProviderWorld) -> None:
    await world.ask()

    assert world.spent == COST
    assert not world.pauses.details


async def test_a_failure_costs_the_document_an_attempt_while_the_breaker_is_closed(
    world: ProviderWorld,
) -> None:
    with pytest.raises(Retryable) as failed:
        await world.ask(Away("server_error", after_s=7))

    assert failed.value.after_s == 7
    assert isinstance(failed.value, ProviderFailed)
    assert failed.value.missed.finding.code == "engine_away"
    assert failed.value.dependency is None


async def test_the_fifth_failure_pauses_the_queue_and_costs_no_attempt(
    world: ProviderWorld,
) -> None:
    await world.fail(4)

    with pytest.raises(Deferred) as away:
        await world.ask(Away("server_error"))

    assert away.value.after_s == 60
    assert world.pauses.details == ["gemini is away (server_error)"]


async def test_an_open_breaker_leaves_no_trace_of_a_document(world: ProviderWorld) -> None:
    await world.outage()
    spent = world.spent

    with pytest.raises(Deferred):
        await world.ask()

    assert world.calls == 5
    assert world.spent == spent
    assert len(world.pauses.details) == 2


async def test_when_patience_is_over_documents_go_on_without_the_provider(
    world: ProviderWorld,
) -> None:
    await world.outage()
    world.breaker.clock.advance(900)
    with pytest.raises(NotAsked):
        # It is time for a probe too; this one fails, and need not wait for the next.
        await world.ask(Away("server_error"))

    with pytest.raises(NotAsked) as missed:
        await world.ask()

    assert world.calls == 6
    assert missed.value.reason == "outage"
    assert missed.value.finding.code == "engine_away"
    assert len(world.pauses.details) == 1


async def test_one_probe_closes_the_breaker_and_everybody_asks_again(
    world: ProviderWorld,
) -> None:
    await world.outage()
    world.breaker.clock.advance(60)

    await world.ask()
    await world.ask()

    assert world.calls == 7


async def test_a_probe_that_fails_keeps_the_documents_waiting(world: ProviderWorld) -> None:
    await world.outage()
    world.breaker.clock.advance(60)

    with pytest.raises(Deferred):
        await world.ask(Away("timeout"))
    with pytest.raises(Deferred):
        await world.ask()

    assert world.calls == 6


@pytest.mark.parametrize(
    "error",
    [
        Rejected("too_large"),
        Throttled(after_s=3),
        asyncio.CancelledError(),
        KeyError("a bug"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_a_probe_that_tells_nothing_about_the_provider_is_for_the_next(
    world: ProviderWorld, error: BaseException
) -> None:
    await world.outage()
    world.breaker.clock.advance(60)

    with pytest.raises((Deferred, type(error))):
        await world.ask(error)
    await world.ask()

    assert world.breaker.look().state == "closed"


@pytest.mark.parametrize("wait_for", ["a turn", "money"])
async def test_a_probe_that_could_not_be_made_is_for_the_next(
    world: ProviderWorld, wait_for: str
) -> None:
    await world.outage()
    world.breaker.clock.advance(60)
    if wait_for == "a turn":
        world.rate.waits = [30.0]
    else:
        world.spending.ceilings = Ceilings(total=world.spent)

    with pytest.raises((Deferred, NotAsked)):
        await world.ask()
    world.spending.ceilings = Ceilings()
    await world.ask()

    assert world.calls == 6


async def test_documents_that_cannot_be_read_open_no_breaker(world: ProviderWorld) -> None:
    refused = Refused(Finding("model_refused", "block"), (Usage("m", cost=COST),))
    for _ in range(10):
        with pytest.raises(NoReading):
            await world.ask(refused)

    assert world.breaker.look().failures == 0
    assert world.spent == 10 * COST


async def test_a_document_that_cannot_be_read_closes_the_breaker_it_probed(
    world: ProviderWorld,
) -> None:
    await world.outage()
    world.breaker.clock.advance(60)

    with pytest.raises(NoReading):
        await world.ask(Refused(Finding("model_refused", "block")))

    assert world.breaker.look().state == "closed"


async def test_a_quota_of_the_minute_holds_everybody_and_opens_no_breaker(
    world: ProviderWorld,
) -> None:
    for _ in range(6):
        with pytest.raises(Deferred) as throttled:
            await world.ask(Throttled(after_s=7))

    assert throttled.value.after_s == 7
    assert world.rate.held == [7] * 6
    assert world.breaker.look().state == "closed"
    assert world.spent == 0


async def test_a_provider_that_gives_no_hint_is_left_alone_longer_each_time(
    world: ProviderWorld,
) -> None:
    gate = world.gate

    async def ask(error: Exception | None = None) -> None:
        async with gate.call(OWNER, ESTIMATE):
            if error is not None:
                raise error

    for _ in range(7):
        with pytest.raises(Deferred):
            await ask(Throttled())
    await ask()
    with pytest.raises(Deferred):
        await ask(Throttled())

    # Half of 2, 4, 8, …, never of more than a minute.
    assert world.rate.held == [1, 2, 4, 8, 16, 30, 30, 1]


async def test_a_quota_of_the_day_is_waited_for_by_nobody(world: ProviderWorld) -> None:
    with pytest.raises(NotAsked) as missed:
        await world.ask(Throttled(after_s=30, per_day=True))
    with pytest.raises(NotAsked):
        await world.ask()

    assert missed.value.reason == "day_quota"
    assert world.calls == 1
    assert not world.pauses.details


async def test_wrong_credentials_cost_no_document_an_attempt_and_say_so(
    world: ProviderWorld,
) -> None:
    for _ in range(5):
        with pytest.raises(Deferred):
            await world.ask(Misconfigured("key"))
    world.breaker.clock.advance(901)
    with pytest.raises(NotAsked) as missed:
        await world.ask(Misconfigured("key"))

    assert missed.value.reason == "credentials"


async def test_a_short_wait_for_ones_turn_is_slept_and_a_long_one_is_not(
    world: ProviderWorld,
) -> None:
    world.rate.waits = [0.4, 0.3]
    await world.ask()
    assert world.naps.slept == [0.4, 0.3]

    world.rate.waits = [0.6, 0.6]
    with pytest.raises(Deferred) as waits:
        await world.ask()

    assert waits.value.after_s == 0.6
    assert world.calls == 1


async def test_a_call_over_its_deadline_is_a_failure_of_the_provider(
    world: ProviderWorld,
) -> None:
    world.terms = CallTerms("gemini", deadline_s=0.01)

    with pytest.raises(Retryable, match="timeout"):
        async with world.gate.call(OWNER, ESTIMATE):
            await asyncio.Event().wait()

    assert world.breaker.look().failures == 1
    assert world.spent == ESTIMATE


async def test_a_timeout_within_a_call_is_not_taken_for_its_deadline(
    world: ProviderWorld,
) -> None:
    with pytest.raises(TimeoutError):
        await world.ask(TimeoutError("of something else"))

    assert world.breaker.look().failures == 0


async def test_no_more_calls_are_under_way_than_may_be(world: ProviderWorld) -> None:
    world.terms = CallTerms("gemini", at_once=3)
    gate, go_on = world.gate, asyncio.Event()
    under_way = most = 0

    async def ask() -> None:
        nonlocal under_way, most
        async with gate.call(OWNER, ESTIMATE):
            under_way += 1
            most = max(most, under_way)
            await go_on.wait()
            under_way -= 1

    async with asyncio.TaskGroup() as group:
        for _ in range(10):
            group.create_task(ask())
        for _ in range(20):
            await asyncio.sleep(0)
        go_on.set()

    assert most == 3
