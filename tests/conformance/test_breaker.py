"""The breaker of a provider: one suite for memory and for PostgreSQL, and for two replicas."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from uuid import UUID, uuid4

import pytest

from services.extractor.adapters.breaker import PostgresBreaker
from services.extractor.domain.protection import DAY_QUOTA, BreakerTerms, Circuit
from services.extractor.ports.protection import Breaker
from tests.broker.service_schema import service_schema
from tests.conformance.database import database
from tests.fakes.providers import InMemoryBreaker

TERMS = BreakerTerms(
    failure_threshold=5, recovery_timeout_s=60, patience_s=900, probe_lease_s=120
)


@dataclass(slots=True)
class Replicas:
    """Two processes that guard one provider, and a way to let time pass for both."""

    one: Breaker
    other: Breaker
    advance: Callable[[float], Awaitable[None]]

    async def fail(self, times: int, *, probe: UUID | None = None) -> Circuit:
        """By turns."""
        circuit = Circuit()
        for turn in range(times):
            breaker = self.other if turn % 2 else self.one
            circuit = await breaker.note_failure(probe, "server_error")
        return circuit

    async def probe(self) -> UUID:
        await self.advance(TERMS.recovery_timeout_s)
        probe = (await self.one.admit()).probe
        assert probe is not None
        return probe


@pytest.fixture(params=["memory", "postgres"])
async def replicas(request: pytest.FixtureRequest) -> AsyncIterator[Replicas]:
    if request.param == "memory":
        breaker = InMemoryBreaker(TERMS)

        async def pass_by(seconds: float) -> None:
            breaker.clock.advance(seconds)

        yield Replicas(breaker, breaker, pass_by)
        return
    async with service_schema(database(), "extractor", []) as schema:

        async def let_it_be_earlier(seconds: float) -> None:
            # The database's clock goes its own way, so what is written down moves instead.
            await schema.owner.execute(
                "UPDATE breakers SET opened_at = opened_at - make_interval(secs => $1),"
                " due_at = due_at - make_interval(secs => $1),"
                " probe_until = probe_until - make_interval(secs => $1)",
                seconds,
            )

        # Each look is at the row: how old the copy may be is another test's matter.
        one, other = (
            PostgresBreaker(schema.pool, "gemini", TERMS, copy_s_max=0) for _ in range(2)
        )
        yield Replicas(one, other, let_it_be_earlier)


async def test_a_breaker_that_nobody_has_heard_of_is_closed(replicas: Replicas) -> None:
    assert await replicas.one.admit() == Circuit()


async def test_the_fifth_failure_of_all_together_opens_it_for_all(replicas: Replicas) -> None:
    assert (await replicas.fail(4)).may_ask

    opened = await replicas.one.note_failure(None, "timeout")

    assert (opened.state, opened.reason) == ("open", "timeout")
    assert 59 < opened.due_in_s <= 60
    assert 899 < opened.patience_left_s <= 900
    assert not (await replicas.other.admit()).may_ask


async def test_an_answer_between_failures_begins_the_count_anew(replicas: Replicas) -> None:
    await replicas.fail(4)
    await replicas.other.note_answer(None)

    assert (await replicas.fail(4)).may_ask
    assert not (await replicas.fail(1)).may_ask


async def test_before_its_time_nobody_may_try(replicas: Replicas) -> None:
    await replicas.fail(5)
    await replicas.advance(50)

    assert not (await replicas.one.admit()).may_ask


async def test_when_it_is_time_one_may_try_and_no_other(replicas: Replicas) -> None:
    await replicas.fail(5)
    await replicas.advance(60)

    asked = await asyncio.gather(
        *(breaker.admit() for breaker in (replicas.one, replicas.other) * 8)
    )

    assert [circuit.state for circuit in asked] == ["half-open"] * 16
    assert sum(circuit.may_ask for circuit in asked) == 1


async def test_a_probe_that_is_answered_closes_it_for_all(replicas: Replicas) -> None:
    await replicas.fail(5)
    probe = await replicas.probe()

    await replicas.one.note_answer(probe)

    assert await replicas.other.admit() == Circuit()
    assert (await replicas.fail(4)).may_ask


async def test_a_probe_that_fails_opens_it_again_without_new_patience(
    replicas: Replicas,
) -> None:
    await replicas.fail(5)
    probe = await replicas.probe()

    again = await replicas.one.note_failure(probe, "connection")

    assert (again.state, again.reason) == ("open", "connection")
    assert 59 < again.due_in_s <= 60
    assert 839 < again.patience_left_s <= 840
    assert not (await replicas.other.admit()).may_ask


async def test_patience_ends_while_it_stays_open(replicas: Replicas) -> None:
    await replicas.fail(5)
    for _ in range(15):
        await replicas.one.note_failure(await replicas.probe(), "server_error")

    circuit = await replicas.other.admit()

    assert not circuit.may_ask
    assert circuit.patience_left_s == 0


async def test_a_probe_of_one_who_died_is_made_by_another(replicas: Replicas) -> None:
    await replicas.fail(5)
    late = await replicas.probe()
    assert not (await replicas.other.admit()).may_ask
    await replicas.advance(TERMS.probe_lease_s)

    heir = (await replicas.other.admit()).probe

    assert heir not in (None, late)
    # Taken for dead, it decides about nothing any more.
    await replicas.one.note_answer(late)
    assert not (await replicas.one.admit()).may_ask


async def test_a_probe_that_told_nothing_is_free_for_the_next(replicas: Replicas) -> None:
    await replicas.fail(5)
    probe = await replicas.probe()

    await replicas.one.give_up_breaker_probe(uuid4(), 0)
    assert not (await replicas.other.admit()).may_ask
    await replicas.one.give_up_breaker_probe(probe, 0)

    assert (await replicas.other.admit()).may_ask


@pytest.mark.parametrize("ending", ["answer", "failure"])
async def test_a_call_that_was_under_way_when_it_opened_decides_nothing(
    replicas: Replicas, ending: str
) -> None:
    opened = await replicas.fail(5)

    if ending == "answer":
        await replicas.other.note_answer(None)
    else:
        await replicas.other.note_failure(None, "timeout")

    after = await replicas.one.admit()
    assert (after.state, after.reason) == ("open", opened.reason)


async def test_a_spent_day_leaves_nobody_waiting_until_it_ends(replicas: Replicas) -> None:
    tripped = await replicas.one.trip_breaker(DAY_QUOTA)

    assert (tripped.state, tripped.reason) == ("open", DAY_QUOTA)
    assert tripped.patience_left_s == 0
    assert 0 < tripped.due_in_s <= 25 * 3600
    assert not (await replicas.other.admit()).may_ask


async def test_the_day_after_a_spent_one_begins_with_one_probe(replicas: Replicas) -> None:
    tripped = await replicas.one.trip_breaker(DAY_QUOTA)
    await replicas.advance(tripped.due_in_s + 1)

    probe = (await replicas.other.admit()).probe
    assert not (await replicas.one.admit()).may_ask
    await replicas.other.note_answer(probe)

    assert (await replicas.one.admit()).state == "closed"
