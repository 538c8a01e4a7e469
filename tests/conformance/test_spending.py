"""What is spent on a provider per day: one suite for memory and for PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from decimal import Decimal

import pytest

from services.extractor.adapters.spending import PostgresSpending
from services.extractor.domain.protection import Ceilings
from services.extractor.ports.protection import Spending
from tests.broker.service_schema import service_schema
from tests.conformance.database import database
from tests.fakes.providers import InMemorySpending

CENT = Decimal("0.01")
CEILINGS = Ceilings(total=Decimal("0.10"), owner=Decimal("0.06"))


@dataclass(slots=True)
class Purses:
    one: Spending
    other: Spending
    used: Callable[[str], Awaitable[Decimal]]


@pytest.fixture(params=["memory", "postgres"])
async def purses(request: pytest.FixtureRequest) -> AsyncIterator[Purses]:
    if request.param == "memory":
        spending = InMemorySpending(CEILINGS)

        async def remembered(payer: str) -> Decimal:
            return spending.used.get(payer, Decimal(0))

        yield Purses(spending, spending, remembered)
        return
    async with service_schema(database(), "extractor", []) as schema:

        async def written(payer: str) -> Decimal:
            used: Decimal = await schema.owner.fetchval(
                "SELECT coalesce(sum(reserved + spent), 0) FROM spending WHERE payer = $1",
                payer,
            )
            return used

        one, other = (PostgresSpending(schema.pool, CEILINGS) for _ in range(2))
        yield Purses(one, other, written)


async def test_what_is_set_aside_counts_for_the_owner_and_for_all(purses: Purses) -> None:
    assert await purses.one.reserve_spending("acme", CENT) is not None

    assert await purses.used("acme") == CENT
    assert await purses.used("") == CENT


async def test_what_a_call_cost_in_the_end_replaces_what_was_set_aside(
    purses: Purses,
) -> None:
    reservation = await purses.one.reserve_spending("acme", CENT)
    assert reservation is not None

    await purses.other.settle_spending(reservation, Decimal("0.0042"))

    assert await purses.used("acme") == Decimal("0.0042")
    assert await purses.used("") == Decimal("0.0042")


async def test_those_who_ask_at_once_get_what_there_is_and_no_more(purses: Purses) -> None:
    asked = [purses.one.reserve_spending(who, CENT) for who in ("acme", "other") * 8]

    given = [one for one in await asyncio.gather(*asked) if one is not None]

    assert [one.owner_id for one in given].count("acme") == 5
    assert await purses.used("acme") == await purses.used("other") == 5 * CENT
    assert await purses.used("") == 10 * CENT


async def test_calls_that_end_at_once_are_settled_each_for_its_owner(purses: Purses) -> None:
    reservations = [
        await purses.one.reserve_spending(owner, CENT) for owner in ("acme", "other", "acme")
    ]

    costs = (Decimal("0.001"), Decimal("0.002"), Decimal("0.004"))
    await asyncio.gather(
        *(
            purses.one.settle_spending(one, cost)
            for one, cost in zip(reservations, costs, strict=True)
            if one is not None
        )
    )

    assert await purses.used("acme") == Decimal("0.005")
    assert await purses.used("other") == Decimal("0.002")
    assert await purses.used("") == Decimal("0.007")


async def test_over_the_ceiling_of_an_owner_nothing_is_set_aside(purses: Purses) -> None:
    for _ in range(6):
        assert await purses.one.reserve_spending("acme", CENT) is not None

    assert await purses.one.reserve_spending("acme", CENT) is None
    assert await purses.used("acme") == await purses.used("") == 6 * CENT
    assert await purses.other.reserve_spending("other", CENT) is not None


async def test_over_the_ceiling_of_all_an_owner_who_spent_nothing_is_refused_too(
    purses: Purses,
) -> None:
    for owner in ("a", "b"):
        for _ in range(5):
            assert await purses.one.reserve_spending(owner, CENT) is not None

    assert await purses.other.reserve_spending("c", CENT) is None
    assert await purses.used("c") == 0


async def test_a_first_call_that_is_too_dear_by_itself_is_refused(purses: Purses) -> None:
    assert await purses.one.reserve_spending("acme", Decimal(1)) is None
    assert await purses.used("") == 0


async def test_of_many_at_once_exactly_those_are_served_that_fit(purses: Purses) -> None:
    wanted = [
        purse.reserve_spending(owner, CENT)
        for _ in range(5)
        for purse in (purses.one, purses.other)
        for owner in ("a", "b")
    ]

    served = await asyncio.gather(*wanted)

    assert sum(one is not None for one in served) == 10
    assert await purses.used("") == CEILINGS.total
