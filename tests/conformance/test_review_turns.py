"""How often an item has changed hands, counted alike in memory and in PostgreSQL."""

from collections.abc import AsyncIterator

import pytest

from services.review.handlers.claiming import claim_item, release_item
from services.review.handlers.passing_on import take_over_item
from tests.conformance.reviewing import Desk, desk_of

LEASE_S = 900


@pytest.fixture(params=["memory", "postgres"])
async def desk(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    async with desk_of(request.param) as desk:
        yield desk


async def test_a_turn_is_another_only_when_the_item_is_in_other_hands(desk: Desk) -> None:
    """By it everybody is told of a claim once, and in the right order."""
    document_id = await desk.opened()
    turns = [(await claim_item(document_id, "anna", desk.use)).turn]

    turns.append((await claim_item(document_id, "anna", desk.use)).turn)
    turns.append((await take_over_item(document_id, "lena", "Lunch.", desk.use)).turn)
    turns.append((await take_over_item(document_id, "lena", "Again.", desk.use)).turn)
    await desk.time.pass_for(LEASE_S + 1)
    turns.append((await claim_item(document_id, "lena", desk.use)).turn)
    await desk.time.pass_for(LEASE_S + 1)
    turns.append((await claim_item(document_id, "boris", desk.use)).turn)
    turns.append((await release_item(document_id, "boris", desk.use)).turn)

    assert turns == [1, 1, 2, 2, 2, 3, 4]
