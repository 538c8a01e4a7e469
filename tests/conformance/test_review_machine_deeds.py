"""What nobody did by hand stands in the audit log too; in memory and in PostgreSQL."""

from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

import pytest

from services.review.domain.items import resource_of
from services.review.handlers.assigning import keep_presence
from services.review.handlers.claiming import claim_item, claim_next_item
from services.review.handlers.minding import mind_queue
from tests.conformance.reviewing import GIVING, HOUR_S, Desk, desk_of


@pytest.fixture(params=["memory", "postgres"])
async def desk(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    async with desk_of(request.param) as desk:
        yield desk


@pytest.fixture(params=["memory", "postgres"])
async def giving(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    async with desk_of(request.param, GIVING) as desk:
        yield desk


async def told(desk: Desk, document_id: UUID, action: str) -> Sequence[tuple[Any, Any]]:
    lines = await desk.use.trail.list_entries(
        resource_of(document_id), actor="system", limit=100
    )
    entries = [line.entry() for line in lines]
    return [(one.before, one.after) for one in entries if one.action == action]


async def test_to_whom_the_queue_gave_an_item(giving: Desk) -> None:
    await keep_presence("anna", True, giving.use)

    document_id = await giving.opened()

    assert await told(giving, document_id, "item_assigned") == [(None, {"assigned_to": "anna"})]


async def test_whose_claim_ended_by_itself(desk: Desk) -> None:
    document_id = await desk.opened()
    await claim_item(document_id, "anna", desk.use)
    await desk.time.pass_for(HOUR_S)

    await mind_queue(desk.use)
    await mind_queue(desk.use)

    assert await told(desk, document_id, "claim_lapsed") == [({"claimed_by": "anna"}, None)]


async def test_also_when_the_next_reviewer_is_the_first_to_see_it(desk: Desk) -> None:
    document_id = await desk.opened()
    await claim_item(document_id, "anna", desk.use)
    await desk.time.pass_for(HOUR_S)

    await claim_next_item("boris", desk.use)

    assert await told(desk, document_id, "claim_lapsed") == [({"claimed_by": "anna"}, None)]
