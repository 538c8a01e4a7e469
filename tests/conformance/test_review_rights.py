"""Whose an item is to decide and to pass on is asked under its lock; in memory too."""

from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID

import pytest

from services.review.domain.claims import (
    AboveLevel,
    AssignedToAnother,
    ReviewerAway,
    UnknownReviewer,
)
from services.review.domain.decisions import Reextraction
from services.review.domain.items import Decision
from services.review.handlers.assigning import keep_presence
from services.review.handlers.claiming import claim_item
from services.review.handlers.deciding import decide
from services.review.handlers.passing_on import assign_item, escalate_item, postpone_item
from services.review.handlers.reextracting import ask_for_reading
from tests.conformance.reviewing import Desk, desk_of


@pytest.fixture(params=["memory", "postgres"])
async def desk(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    async with desk_of(request.param) as desk:
        for name in ("anna", "boris"):
            await keep_presence(name, True, desk.use)
        yield desk


def rejection(document_id: UUID, *, lead: bool = False) -> Decision:
    """As if the first look had been before it went to somebody else."""
    return Decision(document_id, 1, "anna", "rejected", reason_code="other", lead=lead)


async def test_nobody_is_given_what_they_could_not_take(desk: Desk) -> None:
    document_id = await desk.opened()
    await keep_presence("boris", False, desk.use)
    await escalate_item(document_id, 2, "Above my limit.", "anna", desk.use)

    with pytest.raises(UnknownReviewer):
        await assign_item(document_id, "ana", "lena", desk.use)
    with pytest.raises(ReviewerAway):
        await assign_item(document_id, "boris", "lena", desk.use)
    with pytest.raises(AboveLevel):
        await assign_item(document_id, "anna", "lena", desk.use)

    assert (await desk.item(document_id)).assigned_to is None
    # Whoever may assign may take any.
    assert (await assign_item(document_id, "lena", "lena", desk.use)).assigned_to == "lena"


async def test_what_was_given_to_another_meanwhile_is_not_decided(desk: Desk) -> None:
    document_id = await desk.opened()
    await assign_item(document_id, "boris", "lena", desk.use)
    until = desk.use.clock.now() + timedelta(days=1)

    with pytest.raises(AssignedToAnother):
        await decide(rejection(document_id), desk.use)
    with pytest.raises(AssignedToAnother):
        await postpone_item(document_id, until, "Later.", "anna", desk.use)
    with pytest.raises(AssignedToAnother):
        await ask_for_reading(Reextraction(document_id, "anna", 1, "Torn."), desk.use)

    done = await decide(rejection(document_id, lead=True), desk.use)
    assert done.decided_by == "anna"


async def test_what_went_above_ones_level_meanwhile_is_not_decided(desk: Desk) -> None:
    document_id = await desk.opened()
    await escalate_item(document_id, 2, "Above my limit.", "boris", desk.use)

    with pytest.raises(AboveLevel):
        await decide(rejection(document_id), desk.use)
    with pytest.raises(AboveLevel):
        await escalate_item(document_id, 1, "After all.", "anna", desk.use)


async def test_whoever_holds_an_item_decides_it_whatever_its_level(desk: Desk) -> None:
    document_id = await desk.opened()
    await escalate_item(document_id, 2, "Above my limit.", "boris", desk.use)
    await claim_item(document_id, "anna", desk.use, lead=True)

    assert (await decide(rejection(document_id), desk.use)).decided_by == "anna"
