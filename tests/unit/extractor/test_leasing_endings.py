"""However a reader ends, but for a kill, it gives the content up, and the next goes at once."""

import asyncio

import pytest

from services.extractor.ports import Lease
from shared.bus.running import run_limited
from shared.errors import Rejected, Retryable, Withdrawn
from shared.ledger.port import Unit
from tests.fakes.extractor import InMemoryLeases
from tests.unit.extractor.world import World, order


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(Retryable("engine away"), id="a failure that may pass"),
        pytest.param(KeyError("total"), id="a bug"),
    ],
)
async def test_whoever_fails_gives_the_lease_up_and_the_next_goes_at_once(
    world: World, error: Exception
) -> None:
    world.engine.error = error
    with pytest.raises(type(error)):
        await world.deliver()
    world.engine.error = None

    await world.deliver()

    assert world.engine.calls == 2
    assert not world.leases.rows


async def test_what_the_engine_raised_arrives_as_it_was(world: World) -> None:
    # Wrapped in a group it would be taken for a bug.
    cause = OSError("reset")
    world.engine.error = Retryable("engine away")
    world.engine.error.__cause__ = cause

    with pytest.raises(Retryable) as raised:
        await world.deliver()

    assert raised.value is world.engine.error
    assert raised.value.__cause__ is cause


async def test_whoever_is_interrupted_gives_the_lease_up(world: World) -> None:
    world.engine.may_answer.clear()
    delivery = asyncio.ensure_future(world.deliver())
    await world.engine.asked.wait()
    assert world.leases.rows

    delivery.cancel()
    with pytest.raises(asyncio.CancelledError):
        await delivery

    assert not world.leases.rows


class SlowLeases(InMemoryLeases):
    """Giving up takes until the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.may_end = asyncio.Event(), asyncio.Event()

    async def give_up_lease(self, unit: Unit, lease: Lease) -> None:
        self.begun.set()
        await self.may_end.wait()
        await super().give_up_lease(unit, lease)


async def test_whoever_is_interrupted_twice_gives_the_lease_up_all_the_same() -> None:
    leases = SlowLeases()
    world = World(leases)
    world.engine.may_answer.clear()
    delivery = asyncio.ensure_future(world.deliver())
    await world.engine.asked.wait()

    delivery.cancel()
    await leases.begun.wait()
    delivery.cancel()
    leases.may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await delivery

    assert not leases.rows


async def test_whoever_takes_too_long_gives_the_lease_up(world: World) -> None:
    world.engine.may_answer.clear()

    with pytest.raises(Retryable, match="timed out"):
        await run_limited(world.deliver(), timeout_s=0.05, hurry=[], on_stuck=lambda: None)

    assert not world.leases.rows


async def test_whoever_cannot_give_the_lease_up_fails_for_its_own_reason(world: World) -> None:
    world.engine.error = Retryable("engine away")

    def database_goes_away() -> None:
        world.ledger.error = Retryable("away", dependency="postgres")

    world.engine.may_answer.clear()
    delivery = asyncio.ensure_future(world.deliver())
    await world.engine.asked.wait()
    database_goes_away()
    world.engine.may_answer.set()

    with pytest.raises(Retryable, match="engine away"):
        await delivery


async def test_a_document_withdrawn_while_it_is_read_frees_its_content(world: World) -> None:
    job = order()
    world.engine.meanwhile = lambda: world.withdrawals.reasons.update(
        {job.body.document_id: "cancelled"}
    )

    with pytest.raises(Withdrawn):
        await world.deliver(job)
    # Not for a moment: a copy that found it would be the duplicate of nothing.
    assert not world.processed.keeps
    await world.deliver()

    assert world.engine.calls == 2
    assert [one.cache_hit for one in world.stored()] == [False]


@pytest.mark.parametrize("error", [Rejected("source_missing"), Retryable("no child")])
async def test_a_document_that_cannot_be_read_any_more_because_it_was_deleted_has_not_failed(
    world: World, error: Exception
) -> None:
    job = order()
    world.engine.error = error
    world.engine.may_answer.clear()
    delivery = asyncio.create_task(world.deliver(job))
    await world.engine.asked.wait()
    world.withdrawals.reasons[job.body.document_id] = "deleted"
    world.engine.may_answer.set()

    with pytest.raises(Withdrawn):
        await delivery
