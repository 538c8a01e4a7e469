"""In whose hands an item is, and how it gets out of them; in memory and in PostgreSQL alike."""

from collections import Counter
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from services.review.domain.claims import (
    AboveLevel,
    AssignedToAnother,
    LeaseLost,
    NotInTheFuture,
)
from services.review.domain.items import AlreadyDecided, ClaimedByAnother, ItemStatus
from services.review.domain.ranking import Plan
from services.review.handlers.assigning import keep_level, keep_presence
from services.review.handlers.claiming import (
    claim_item,
    claim_next_item,
    extend_claim,
    release_item,
    see_next_item,
)
from services.review.handlers.deciding import approve_item
from services.review.handlers.minding import mind_queue
from services.review.handlers.passing_on import (
    assign_item,
    escalate_item,
    postpone_item,
    take_over_item,
)
from shared.configuration.review import Ranking, Review, Weights
from tests.conformance.reviewing import GIVING, HOUR_S, Desk, desk_of

LEASE_S = 900
HEAVY = Plan(Review(ranking=Ranking(weights=Weights(doubt=100, sla=0, complexity=0, value=0))))


@pytest.fixture(params=["memory", "postgres"])
async def desk(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    async with desk_of(request.param) as desk:
        yield desk


@pytest.fixture(params=["memory", "postgres"])
async def giving(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    async with desk_of(request.param, GIVING) as desk:
        yield desk


async def _next(desk: Desk, reviewer: str = "anna", *, lead: bool = False) -> UUID | None:
    item = await claim_next_item(reviewer, desk.use, lead=lead)
    return item.document_id if item else None


async def test_what_is_put_off_comes_back_when_its_time_has_come(desk: Desk) -> None:
    document_id = await desk.opened()
    await claim_item(document_id, "anna", desk.use)
    until = desk.use.clock.now() + timedelta(hours=2)

    item = await postpone_item(document_id, until, "Asked the vendor.", "anna", desk.use)
    hidden = await _next(desk)
    await desk.time.pass_for(3 * HOUR_S)

    assert (item.status, item.claimed_by) == (ItemStatus.PENDING, None)
    assert hidden is None
    assert await _next(desk, "boris") == document_id


async def test_nothing_is_put_off_until_yesterday(desk: Desk) -> None:
    document_id = await desk.opened()
    past = desk.use.clock.now() - timedelta(seconds=5)

    for until in (past, datetime.fromisoformat("0001-01-01T00:00:00+12:00")):
        with pytest.raises(NotInTheFuture):
            await postpone_item(document_id, until, "Why not?", "anna", desk.use)


async def test_what_was_put_off_is_claimed_by_whoever_opens_it(desk: Desk) -> None:
    document_id = await desk.opened()
    until = desk.use.clock.now() + timedelta(hours=2)
    await postpone_item(document_id, until, "Later.", "anna", desk.use)

    item = await claim_item(document_id, "boris", desk.use)

    assert (item.claimed_by, item.postponed_until) == ("boris", None)


async def test_an_escalated_item_is_for_those_of_its_level(desk: Desk) -> None:
    document_id = await desk.opened()
    await escalate_item(document_id, 2, "Above my limit.", "anna", desk.use)

    with pytest.raises(AboveLevel):
        await claim_item(document_id, "anna", desk.use)
    assert await _next(desk, "anna") is None
    await keep_level("boris", 2, "lena", desk.use)
    assert await _next(desk, "boris") == document_id
    await release_item(document_id, "boris", desk.use)
    assert await _next(desk, "lena", lead=True) == document_id


async def test_what_is_assigned_is_for_one_reviewer_and_for_a_lead(desk: Desk) -> None:
    document_id = await desk.opened()
    await keep_presence("anna", True, desk.use)
    await assign_item(document_id, "anna", "lena", desk.use)

    with pytest.raises(AssignedToAnother):
        await claim_item(document_id, "boris", desk.use)
    assert await _next(desk, "boris") is None
    assert await _next(desk, "anna") == document_id
    await release_item(document_id, "anna", desk.use)
    assert (await claim_item(document_id, "lena", desk.use, lead=True)).claimed_by == "lena"


async def test_an_assignment_ends_the_claim_of_another_but_not_the_own(desk: Desk) -> None:
    document_id = await desk.opened()
    await claim_item(document_id, "anna", desk.use)

    await keep_presence("boris", True, desk.use)
    kept = await assign_item(document_id, "anna", "lena", desk.use)
    ended = await assign_item(document_id, "boris", "lena", desk.use)

    assert (kept.claimed_by, kept.assigned_to) == ("anna", "anna")
    assert (ended.status, ended.claimed_by, ended.assigned_to) == (
        ItemStatus.PENDING,
        None,
        "boris",
    )


async def test_a_heartbeat_keeps_a_claim_that_would_have_ended(desk: Desk) -> None:
    document_id = await desk.opened()
    await claim_item(document_id, "anna", desk.use)
    await desk.time.pass_for(LEASE_S - 60)

    await extend_claim(document_id, "anna", desk.use)
    await desk.time.pass_for(LEASE_S - 60)

    assert (await desk.item(document_id)).claim_holds
    with pytest.raises(ClaimedByAnother):
        await claim_item(document_id, "boris", desk.use)


async def test_a_claim_that_has_ended_is_not_kept_any_more(desk: Desk) -> None:
    document_id = await desk.opened()
    await claim_item(document_id, "anna", desk.use)
    await desk.time.pass_for(LEASE_S + 1)

    with pytest.raises(LeaseLost):
        await extend_claim(document_id, "anna", desk.use)
    await claim_item(document_id, "boris", desk.use)
    with pytest.raises(LeaseLost, match="boris"):
        await extend_claim(document_id, "anna", desk.use)
    with pytest.raises(LeaseLost, match="boris"):
        await release_item(document_id, "anna", desk.use)


async def test_a_lead_takes_over_what_somebody_holds(desk: Desk) -> None:
    document_id = await desk.opened()
    await claim_item(document_id, "anna", desk.use)

    item = await take_over_item(document_id, "lena", "Anna has gone.", desk.use)

    assert (item.claimed_by, item.claim_holds) == ("lena", True)
    with pytest.raises(LeaseLost):
        await extend_claim(document_id, "anna", desk.use)


async def test_nobody_puts_off_or_passes_on_what_another_holds(desk: Desk) -> None:
    document_id = await desk.opened()
    await claim_item(document_id, "anna", desk.use)
    until = desk.use.clock.now() + timedelta(hours=1)

    with pytest.raises(ClaimedByAnother):
        await postpone_item(document_id, until, "Later.", "boris", desk.use)
    with pytest.raises(ClaimedByAnother):
        await escalate_item(document_id, 2, "Not mine.", "boris", desk.use)


async def test_a_decided_item_is_passed_on_by_nobody(desk: Desk) -> None:
    document_id = await desk.opened()
    await approve_item(document_id, "anna", 1, desk.use)

    with pytest.raises(AlreadyDecided):
        await assign_item(document_id, "anna", "lena", desk.use)
    with pytest.raises(AlreadyDecided):
        await take_over_item(document_id, "lena", "Mine.", desk.use)
    with pytest.raises(AlreadyDecided):
        await extend_claim(document_id, "anna", desk.use)


async def test_the_time_of_every_claim_is_counted_until_the_decision(desk: Desk) -> None:
    document_id = await desk.opened()
    await claim_item(document_id, "anna", desk.use)
    await desk.time.pass_for(100)
    await release_item(document_id, "anna", desk.use)
    await desk.time.pass_for(5000)
    await claim_item(document_id, "boris", desk.use)
    await desk.time.pass_for(20)

    item = await approve_item(document_id, "boris", 1, desk.use)

    assert item.seconds_spent == pytest.approx(120, abs=10)
    assert item.first_claimed_at is not None
    assert item.decided_at is not None
    whole = (item.decided_at - item.first_claimed_at).total_seconds()
    assert whole == pytest.approx(5120, abs=10)


async def test_a_claim_that_ran_out_counts_no_longer_than_it_held(desk: Desk) -> None:
    document_id = await desk.opened()
    await claim_item(document_id, "anna", desk.use)
    await desk.time.pass_for(10 * LEASE_S)
    await mind_queue(desk.use)

    item = await desk.item(document_id)

    assert item.status is ItemStatus.PENDING
    assert item.seconds_spent == pytest.approx(LEASE_S, abs=10)


async def test_what_comes_next_is_seen_without_claiming_it(desk: Desk) -> None:
    first = await desk.opened(sure=0.1)
    second = await desk.opened(sure=0.2)

    seen = await see_next_item("anna", desk.use, after=None)
    behind = await see_next_item("anna", desk.use, after=first)

    assert [one and one.document_id for one in (seen, behind)] == [first, second]
    assert (await desk.item(first)).status is ItemStatus.PENDING
    assert await _next(desk) == first


async def test_items_are_given_evenly_to_those_who_are_there(giving: Desk) -> None:
    for name in ("anna", "boris", "carla"):
        await keep_presence(name, True, giving.use)
    await keep_presence("dora", False, giving.use)

    opened = [await giving.opened() for _ in range(7)]

    given = Counter([(await giving.item(one)).assigned_to for one in opened])
    assert sorted(given.values()) == [2, 2, 3]
    assert set(given) == {"anna", "boris", "carla"}


async def test_who_has_waited_longest_is_given_the_next_among_equals(giving: Desk) -> None:
    for name in ("anna", "boris"):
        await keep_presence(name, True, giving.use)
    turns = []
    for _ in range(4):
        document_id = await giving.opened()
        item = await giving.item(document_id)
        turns.append(item.assigned_to)
        await approve_item(document_id, str(item.assigned_to), 1, giving.use)

    assert turns == ["anna", "boris", "anna", "boris"]


async def test_who_goes_away_gives_back_what_is_not_begun(giving: Desk) -> None:
    await keep_presence("anna", True, giving.use)
    begun, waiting = await giving.opened(), await giving.opened()
    await claim_item(begun, "anna", giving.use)

    await keep_presence("anna", False, giving.use)

    assert (await giving.item(begun)).claimed_by == "anna"
    assert (await giving.item(waiting)).assigned_to is None
    assert await _next(giving, "boris") == waiting


async def test_who_was_not_seen_for_long_is_given_nothing(giving: Desk) -> None:
    await keep_presence("anna", True, giving.use)
    await giving.time.pass_for(9 * HOUR_S)

    document_id = await giving.opened()

    assert (await giving.item(document_id)).assigned_to is None


async def test_reviewers_are_listed_with_what_is_theirs(desk: Desk) -> None:
    claimed, assigned = await desk.opened(), await desk.opened()
    await claim_item(claimed, "anna", desk.use)
    await assign_item(assigned, "anna", "lena", desk.use)
    await keep_presence("boris", False, desk.use)

    listed = await desk.use.reviewers.list_reviewers()

    assert [(one.name, one.load, one.active, one.level) for one in listed] == [
        ("anna", 2, True, 1),
        ("boris", 0, False, 1),
    ]
