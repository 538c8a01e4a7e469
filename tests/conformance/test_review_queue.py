"""Whose turn it is: the queue of review items, in memory and in PostgreSQL alike."""

from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal
from uuid import UUID

import pytest

from services.review.domain.decisions import Reextraction
from services.review.domain.edits import Change
from services.review.domain.items import ItemStatus
from services.review.domain.listing import NOBODY, RankedPlace, Wanted
from services.review.domain.ranking import Plan
from services.review.handlers.assigning import keep_presence
from services.review.handlers.claiming import (
    claim_item,
    claim_next_item,
    release_item,
    see_next_item,
)
from services.review.handlers.correcting import Correction, correct_fields
from services.review.handlers.minding import mind_queue, rank_anew
from services.review.handlers.passing_on import (
    escalate_item,
)
from services.review.handlers.reextracting import ask_for_reading
from shared.configuration.review import Assignment, FourEyes, Ranking, Review, Weights
from tests.builders import OWNER
from tests.conformance.reviewing import GIVING, HOUR_S, Desk, desk_of

LEASE_S = 900
TWO_PERSONS = Plan(
    Review(
        assignment=Assignment(automatic=True),
        four_eyes=FourEyes(enabled=True, amount_min=Decimal(100)),
    ),
    critical={"total": True},
)
HEAVY = Plan(Review(ranking=Ranking(weights=Weights(doubt=100, sla=0, complexity=0, value=0))))


@pytest.fixture(params=["memory", "postgres"])
async def desk(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    async with desk_of(request.param) as desk:
        yield desk


async def _next(desk: Desk, reviewer: str = "anna", *, lead: bool = False) -> UUID | None:
    item = await claim_next_item(reviewer, desk.use, lead=lead)
    return item.document_id if item else None


async def test_of_two_that_are_due_at_once_the_less_sure_is_first(desk: Desk) -> None:
    sure = await desk.opened(sure=0.95)
    unsure = await desk.opened(sure=0.3)

    assert [await _next(desk), await _next(desk), await _next(desk)] == [unsure, sure, None]


@pytest.fixture(params=["memory", "postgres"])
async def two_persons(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    async with desk_of(request.param, TWO_PERSONS) as desk:
        yield desk


async def test_what_somebody_handed_in_is_lent_to_another(two_persons: Desk) -> None:
    document_id = await two_persons.opened()

    assert await _next(two_persons, OWNER) is None
    assert await see_next_item(OWNER, two_persons.use, after=None) is None
    assert await _next(two_persons) == document_id


async def test_what_somebody_corrected_is_lent_to_another(two_persons: Desk) -> None:
    first = await two_persons.opened(sure=0.3)
    second = await two_persons.opened(sure=0.9)
    held = await claim_item(first, "anna", two_persons.use)
    change = Change("set", "seller.name", "Nordlicht AG")
    await correct_fields(Correction(first, "anna", held.version, [change]), two_persons.use)
    await release_item(first, "anna", two_persons.use)

    assert [await _next(two_persons), await _next(two_persons)] == [second, None]
    assert await _next(two_persons, "boris") == first


async def test_what_needs_one_person_is_lent_to_anybody(two_persons: Desk) -> None:
    small = await two_persons.opened(values={"total": "99.99"})

    assert await _next(two_persons, OWNER) == small


async def test_nobody_is_given_what_they_handed_in(two_persons: Desk) -> None:
    await keep_presence(OWNER, True, two_persons.use)
    alone = await two_persons.opened()
    await keep_presence("anna", True, two_persons.use)
    with_others = [await two_persons.opened() for _ in range(2)]

    given = [(await two_persons.item(one)).assigned_to for one in (alone, *with_others)]
    assert given == [None, "anna", "anna"]


async def test_of_two_that_are_equally_sure_the_sooner_due_is_first(desk: Desk) -> None:
    later = await desk.opened(due_in_s=48 * HOUR_S)
    sooner = await desk.opened(due_in_s=2 * HOUR_S)

    assert [await _next(desk), await _next(desk)] == [sooner, later]


async def test_what_is_overdue_is_ordered_by_doubt_and_not_by_how_late_it_is(
    desk: Desk,
) -> None:
    late = await desk.opened(due_in_s=-50 * HOUR_S, sure=0.9)
    doubtful = await desk.opened(due_in_s=-1 * HOUR_S, sure=0.2)
    await mind_queue(desk.use)

    assert [await _next(desk), await _next(desk)] == [doubtful, late]


async def test_the_better_of_the_two_heads_is_first(desk: Desk) -> None:
    late_and_sure = await desk.opened(due_in_s=-1 * HOUR_S, sure=0.99)
    # 40 points of doubt are more than the 30 that overdue ones have for their time.
    doubtful = await desk.opened(due_in_s=60 * HOUR_S, sure=0.0)
    sure = await desk.opened(due_in_s=60 * HOUR_S, sure=0.99)
    await mind_queue(desk.use)

    order = [await _next(desk), await _next(desk), await _next(desk)]
    assert order == [doubtful, late_and_sure, sure]


async def test_an_item_is_found_overdue_once(desk: Desk) -> None:
    document_id = await desk.opened(due_in_s=HOUR_S)
    await mind_queue(desk.use)
    before = (await desk.item(document_id)).breached_at
    await desk.time.pass_for(2 * HOUR_S)

    found = [await mind_queue(desk.use), await mind_queue(desk.use)]

    assert before is None
    assert (await desk.item(document_id)).breached_at is not None
    assert found == [1, 0]


async def test_what_waited_for_a_reading_in_vain_may_be_given_back_again(desk: Desk) -> None:
    document_id = await desk.opened()
    for version in (1, 2):
        await ask_for_reading(Reextraction(document_id, "anna", version, "Bad."), desk.use)
        waiting = (await desk.item(document_id)).reextract_asked_by
        await desk.time.pass_for(2 * HOUR_S)
        await mind_queue(desk.use)

        item = await desk.item(document_id)
        assert (waiting, item.reextract_asked_by, item.postponed_until) == ("anna", None, None)


async def test_pages_in_rank_order_show_each_item_once_in_the_order_of_claims(
    desk: Desk,
) -> None:
    for sure in (0.9, 0.1, 0.5, 0.5, 0.7):
        await desk.opened(sure=sure, due_in_s=-HOUR_S)
        await desk.opened(sure=sure, due_in_s=30 * HOUR_S)
    await mind_queue(desk.use)

    listed: list[UUID] = []
    place = RankedPlace(desk.use.clock.now())
    while page := await desk.use.queue.list_ranked(Wanted(), place, 3):
        listed += [item.document_id for item in page]
        place = place.after(page)
    claimed = [await _next(desk) for _ in range(10)]

    assert listed == claimed
    assert len(set(listed)) == 10


async def test_a_list_shows_what_was_asked_for(desk: Desk) -> None:
    mine = await desk.opened(values={"seller.name": "Bäckerei Blau 100%"})
    free = await desk.opened(filename="scan_1.pdf")
    late = await desk.opened(due_in_s=-HOUR_S, filename="scan-2.pdf")
    await claim_item(mine, "anna", desk.use)
    await escalate_item(free, 3, "Odd.", "anna", desk.use)
    now = desk.use.clock.now()

    async def found(wanted: Wanted) -> set[UUID]:
        ranked = await desk.use.queue.list_ranked(wanted, RankedPlace(now), 10)
        aged = await desk.use.items.list_items(wanted=wanted, after=None, limit=10)
        assert {one.document_id for one in ranked} == {one.document_id for one in aged}
        return {one.document_id for one in ranked}

    assert await found(Wanted(holder="anna")) == {mine}
    assert await found(Wanted(holder=NOBODY)) == {free, late}
    assert await found(Wanted(level=3)) == {free}
    assert await found(Wanted(due_until=now)) == {late}
    assert await found(Wanted(due_from=now)) == {mine, free}
    assert await found(Wanted(beginning="bäckerei BLAU 100%")) == {mine}
    # Neither of them is a wildcard.
    assert await found(Wanted(beginning="scan_")) == {free}
    assert await found(Wanted(beginning="%")) == set()
    assert await found(Wanted(ItemStatus.IN_REVIEW)) == {mine}
    assert await found(Wanted("open")) == {mine, free, late}


async def test_other_weights_rank_what_is_open_anew(desk: Desk) -> None:
    document_id = await desk.opened(sure=0.5)
    async with desk.use.ledger.unit() as unit:
        reranked = await desk.use.queue.rerank_items(unit, GIVING, 10)
        again = await desk.use.queue.rerank_items(unit, HEAVY, 10)
        at_last = await desk.use.queue.rerank_items(unit, HEAVY, 10)

    assert (reranked, again, at_last) == (0, 1, 0)
    assert (await desk.item(document_id)).base == pytest.approx(100 * 0.5, abs=0.5)


async def test_ranks_are_made_anew_apart_from_what_time_does(desk: Desk) -> None:
    document_id = await desk.opened(sure=0.5)
    use = replace(desk.use, plan=HEAVY)

    # Every few seconds, while a million may be open: no item is compared with the plan.
    minded = await mind_queue(use)
    before = (await desk.item(document_id)).base
    reranked = [await rank_anew(use), await rank_anew(use)]

    assert (minded, reranked) == (0, [1, 0])
    assert before < (await desk.item(document_id)).base == pytest.approx(100 * 0.5, abs=0.5)
