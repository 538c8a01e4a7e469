"""What a call is counted to have cost, and what happens when there is no money left for it."""

import asyncio
from decimal import Decimal

import pytest

from services.extractor.domain.protection import Ceilings, Reservation
from services.extractor.domain.providers import Away, NotAsked, Throttled
from services.extractor.domain.reading import Finding
from shared.errors import Rejected, Retryable
from tests.fakes.providers import InMemoryBreaker, InMemorySpending
from tests.unit.extractor.provider_world import COST, ESTIMATE, OWNER, ProviderWorld


@pytest.fixture
def world() -> ProviderWorld:
    return ProviderWorld()


async def test_over_the_ceiling_a_document_goes_on_without_a_call(world: ProviderWorld) -> None:
    world.spending.ceilings = Ceilings(owner=ESTIMATE)
    await world.ask()

    with pytest.raises(NotAsked) as missed:
        await world.ask()

    assert missed.value.finding == Finding("cost_ceiling", "warn", "today's budget is spent")
    assert world.calls == 1
    assert world.spent == COST


@pytest.mark.parametrize(
    ("error", "owed"),
    [
        (Away("timeout"), ESTIMATE),
        (Away("connection"), Decimal(0)),
        (Throttled(after_s=1), Decimal(0)),
        (Rejected("too_large"), Decimal(0)),
        (asyncio.CancelledError(), ESTIMATE),
        (KeyError("a bug"), ESTIMATE),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, BaseException) else str(one),
)
async def test_what_may_be_billed_is_counted_as_estimated(
    world: ProviderWorld, error: BaseException, owed: Decimal
) -> None:
    with pytest.raises(BaseException):  # noqa: B017 -- whatever it comes out as
        await world.ask(error)

    assert world.spent == owed


async def test_a_cost_that_was_told_counts_whatever_becomes_of_the_answer(
    world: ProviderWorld,
) -> None:
    with pytest.raises(KeyError):
        async with world.gate.call(OWNER, ESTIMATE) as charge:
            charge.tell(COST)
            raise KeyError("its answer is no invoice")

    assert world.spent == COST


class SlowSpending(InMemorySpending):
    def __init__(self) -> None:
        super().__init__()
        self.settling, self.may_settle = asyncio.Event(), asyncio.Event()

    async def settle_spending(self, reservation: Reservation, cost: Decimal) -> None:
        self.settling.set()
        await self.may_settle.wait()
        await super().settle_spending(reservation, cost)


async def test_a_call_that_is_cut_off_while_it_is_settled_is_settled_all_the_same(
    world: ProviderWorld,
) -> None:
    world.spending = slow = SlowSpending()
    async with asyncio.TaskGroup() as group:
        call = group.create_task(world.ask())
        await slow.settling.wait()
        call.cancel()
        await asyncio.sleep(0)
        slow.may_settle.set()

    assert call.cancelled()
    assert world.spent == COST


async def test_an_answer_that_cannot_be_counted_is_not_thrown_away(
    world: ProviderWorld,
) -> None:
    class AwayBreaker(InMemoryBreaker):
        async def note_answer(self, probe: object) -> None:
            raise Retryable("no database", dependency="postgres")

    world.breaker = AwayBreaker()

    await world.ask()

    assert world.calls == 1
