"""What needs no person, and what makes it need one; in memory and in PostgreSQL."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from services.review.domain.decisions import Reextraction, Reopening
from services.review.domain.items import ItemStatus, ReviewItem, resource_of
from services.review.domain.straight_through import is_sampled
from services.review.handlers.approving import approve_automatic
from services.review.handlers.assigning import keep_presence
from services.review.handlers.claiming import claim_item, claim_next_item, release_item
from services.review.handlers.minding import mind_queue
from services.review.handlers.passing_on import (
    assign_item,
    escalate_item,
    postpone_item,
    take_over_item,
)
from services.review.handlers.reextracting import ask_for_reading
from services.review.handlers.reopening import reopen_item
from services.review.ports.insight import Insight
from shared.contracts.extraction import Finding
from tests.conformance.reviewing import HOUR_S, PASSING, Desk, desk_of, drawn

SHARE = PASSING.review.straight_through.sample
BLOCK = Finding(code="E4", severity="block", detail="off by 10.00")


@pytest.fixture(params=["memory", "postgres"])
async def desk(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    async with desk_of(request.param, PASSING) as desk:
        yield desk


@pytest.fixture(params=["memory", "postgres"])
async def switched_off(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    async with desk_of(request.param) as desk:
        yield desk


class _ListedBefore:
    """What was listed a moment ago; all else as it is."""

    def __init__(self, insight: Insight, listed: list[ReviewItem]) -> None:
        self._insight = insight
        self._listed = listed

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 -- whatever the port has
        return getattr(self._insight, name)

    async def list_automatic(self, limit: int) -> list[ReviewItem]:
        return self._listed[:limit]


async def test_what_is_sure_enough_is_approved_by_the_system_with_its_reasons(
    desk: Desk,
) -> None:
    document_id = await desk.opened(sure=0.95, document_id=drawn(False))

    found = [await approve_automatic(desk.use), await approve_automatic(desk.use)]

    item = await desk.item(document_id)
    assert found == [1, 0]
    assert (item.status, item.decided_by) == (ItemStatus.APPROVED, "system")
    lines = await desk.use.trail.list_entries(resource_of(document_id), actor=None, limit=9)
    entries = {line.entry().action: line.entry() for line in lines}
    assert {"item_approved", "item_passed_straight_through"} == set(entries)
    reasons = entries["item_passed_straight_through"].after
    assert isinstance(reasons, dict)
    assert reasons["confidence_min"] == 0.9


async def test_what_is_drawn_for_the_sample_waits_for_a_person(desk: Desk) -> None:
    document_id = await desk.opened(sure=0.95, document_id=drawn(True))

    assert await approve_automatic(desk.use) == 0
    assert [one["gate"] for one in (await desk.item(document_id)).gates] == ["sampled"]


async def test_what_is_unsure_or_blocked_waits_for_a_person(desk: Desk) -> None:
    unsure = await desk.opened(sure=0.85)
    blocked = await desk.opened(sure=0.95, findings=(BLOCK,))

    assert await approve_automatic(desk.use) == 0
    assert (await desk.item(unsure)).gates[0]["field"] == "total"
    assert (await desk.item(blocked)).gates[0]["detail"] == "E4"


async def test_of_two_of_the_same_invoice_none_is_approved_without_a_person(
    desk: Desk,
) -> None:
    same = {"invoice_number": "R-2026-0815"}
    twins = [
        await desk.opened(sure=0.95, values=same, document_id=drawn(False)) for _ in range(2)
    ]

    assert [await approve_automatic(desk.use), await approve_automatic(desk.use)] == [2, 0]
    for document_id in twins:
        item = await desk.item(document_id)
        assert (item.status, item.automatic) == (ItemStatus.PENDING, False)
        [line] = await desk.use.trail.list_entries(
            resource_of(document_id), actor=None, limit=9
        )
        assert line.entry().action == "item_needs_a_person"


async def test_nothing_is_approved_while_it_is_switched_off(switched_off: Desk) -> None:
    document_id = await switched_off.opened(sure=1, document_id=drawn(False))

    assert await approve_automatic(switched_off.use) == 0
    assert (await switched_off.item(document_id)).automatic is False


async def test_what_a_person_claims_first_is_that_persons(desk: Desk) -> None:
    document_id = await desk.opened(sure=0.95, document_id=drawn(False))
    await claim_item(document_id, "anna", desk.use)

    assert await approve_automatic(desk.use) == 0
    assert (await desk.item(document_id)).status is ItemStatus.IN_REVIEW


async def _claimed_and_given_back(desk: Desk, document_id: UUID) -> None:
    await claim_item(document_id, "anna", desk.use)
    await release_item(document_id, "anna", desk.use)


async def _taken_over_and_lost(desk: Desk, document_id: UUID) -> None:
    await take_over_item(document_id, "lea", "Mine.", desk.use)
    await desk.time.pass_for(2 * HOUR_S)
    await mind_queue(desk.use)


async def _put_off_until_now(desk: Desk, document_id: UUID) -> None:
    until = desk.use.clock.now() + timedelta(hours=1)
    await postpone_item(document_id, until, "A letter comes.", "anna", desk.use)
    await desk.time.pass_for(2 * HOUR_S)
    await mind_queue(desk.use)


async def _next_and_given_back(desk: Desk, document_id: UUID) -> None:
    assert await claim_next_item("anna", desk.use) is not None
    await release_item(document_id, "anna", desk.use)


async def _escalated(desk: Desk, document_id: UUID) -> None:
    await escalate_item(document_id, 2, "Odd.", "anna", desk.use)


async def _assigned(desk: Desk, document_id: UUID) -> None:
    await keep_presence("ben", True, desk.use)
    await assign_item(document_id, "ben", "lea", desk.use)


async def _given_back_to_be_read(desk: Desk, document_id: UUID) -> None:
    await ask_for_reading(Reextraction(document_id, "anna", 1, "Half is missing."), desk.use)


async def _opened_again(desk: Desk, document_id: UUID) -> None:
    await approve_automatic(desk.use)
    await reopen_item(Reopening(document_id, "lea", 2, "The account is wrong."), desk.use)


TOUCHES = (
    _claimed_and_given_back,
    _taken_over_and_lost,
    _put_off_until_now,
    _next_and_given_back,
    _escalated,
    _assigned,
    _given_back_to_be_read,
    _opened_again,
)


@pytest.mark.parametrize("touched", TOUCHES)
async def test_what_a_person_had_to_do_with_is_never_approved_without_one(
    touched: Callable[[Desk, UUID], Awaitable[None]], desk: Desk
) -> None:
    document_id = await desk.opened(sure=0.95, document_id=drawn(False))
    await touched(desk, document_id)

    assert await approve_automatic(desk.use) == 0
    item = await desk.item(document_id)
    assert (item.status, item.automatic) == (ItemStatus.PENDING, False)


async def test_what_is_claimed_while_it_is_being_approved_is_a_persons(desk: Desk) -> None:
    document_id = await desk.opened(sure=0.95, document_id=drawn(False))
    insight = _ListedBefore(desk.use.insight, await desk.use.insight.list_automatic(10))
    await _claimed_and_given_back(desk, document_id)

    await approve_automatic(replace(desk.use, insight=insight))

    assert (await desk.item(document_id)).status is ItemStatus.PENDING


@pytest.mark.parametrize("lost", [b"", None])
async def test_what_cannot_be_read_is_approved_by_nobody_and_holds_up_nothing(
    lost: bytes | None, desk: Desk
) -> None:
    first = await desk.opened(sure=0.95, document_id=drawn(False))
    second = await desk.opened(sure=0.95, document_id=drawn(False))
    key = (await desk.item(first)).extraction_key
    del desk.blobs.objects[key]
    if lost is not None:
        desk.blobs.objects[key] = lost

    await approve_automatic(desk.use)

    items = [await desk.item(first), await desk.item(second)]
    assert [one.status for one in items] == [ItemStatus.PENDING, ItemStatus.APPROVED]
    lines = await desk.use.trail.list_entries(resource_of(first), actor=None, limit=9)
    handed = [] if lost is None else ["item_needs_a_person"]
    assert [one.entry().action for one in lines] == handed
    assert items[0].automatic is (lost is None)


async def test_what_cannot_be_approved_is_handed_to_people_once(desk: Desk) -> None:
    document_id = await desk.opened(sure=0.95, document_id=drawn(False))
    item = await desk.item(document_id)

    async with desk.use.ledger.unit() as unit:
        is_handed = [await desk.use.insight.hand_to_people(unit, item) for _ in range(2)]

    assert is_handed == [True, False]
    after = await desk.item(document_id)
    assert (after.automatic, [one["gate"] for one in after.gates]) == (False, ["blocked"])
    assert await desk.use.insight.list_automatic(10) == []


def test_a_sample_is_the_same_each_time_and_as_large_as_was_said() -> None:
    documents = [UUID(int=one) for one in range(20_000)]
    chosen = [one for one in documents if is_sampled(one, SHARE)]

    assert len(chosen) / len(documents) == pytest.approx(SHARE, abs=0.005)
    assert all(is_sampled(one, SHARE) for one in chosen)
