"""What the service knows of its own work; in memory and in PostgreSQL."""

from collections.abc import AsyncIterator

import pytest

from services.review.domain.insight import Bin, Counted, Coverage, Passing, curve_of, error_of
from services.review.domain.items import Decision
from services.review.handlers.approving import approve_automatic
from services.review.handlers.claiming import claim_item
from services.review.handlers.deciding import approve_item, reject_item
from shared.contracts.extraction import Finding
from tests.conformance.reviewing import PASSING, Desk, desk_of, drawn

BLOCK = Finding(code="E4", severity="block", detail="off by 10.00")


@pytest.fixture(params=["memory", "postgres"])
async def desk(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    async with desk_of(request.param, PASSING) as desk:
        yield desk


async def test_reasons_are_counted_with_how_often_they_stood_alone(desk: Desk) -> None:
    await desk.opened(sure=0.5)
    await desk.opened(sure=0.6, findings=(BLOCK,))
    await desk.opened(sure=0.95, document_id=drawn(False))

    assert await desk.use.insight.count_gates(30) == [
        Counted("unsure", "total", 2, 1),
        Counted("blocked", None, 1, 0),
    ]


async def test_another_threshold_shows_what_would_pass_and_what_came_of_it(
    desk: Desk,
) -> None:
    right = await desk.opened(sure=0.85)
    wrong = await desk.opened(sure=0.82)
    await desk.opened(sure=0.5)
    await desk.opened(sure=0.99, findings=(BLOCK,))
    await approve_item(right, "anna", 1, desk.use)
    no = Decision(wrong, 1, "anna", "rejected", reason_code="other", reason="No.")
    await reject_item(no, desk.use)

    assert await desk.use.insight.count_passing(30, 0.8) == Passing(4, 0, 2, 2, 1)
    assert await desk.use.insight.count_passing(30, 0.95) == Passing(4, 0, 0, 0, 0)


async def test_sureness_is_held_against_what_people_made_of_it(desk: Desk) -> None:
    for _ in range(3):
        right = await desk.opened(sure=0.55)
        await approve_item(right, "anna", 1, desk.use)
    wrong = await desk.opened(sure=0.55)
    await desk.time.correct(wrong, "total", "191.00")
    await approve_item(wrong, "anna", 1, desk.use)
    await desk.opened(sure=0.55)

    bins = await desk.use.insight.measure_calibration(30)

    # Four other fields of each of the four were read with 0.9 and left as they were.
    assert [(one.floor, one.values, one.right) for one in bins] == [(0.5, 4, 3), (0.9, 16, 16)]
    assert bins[0].confidence == pytest.approx(0.55)


async def test_what_the_system_approved_says_nothing_of_how_right_it_is(desk: Desk) -> None:
    await desk.opened(sure=0.95, document_id=drawn(False))
    await approve_automatic(desk.use)

    assert await desk.use.insight.measure_calibration(30) == []
    assert await desk.use.insight.measure_decisions(30) == []


async def test_pace_is_told_of_all_and_of_each(desk: Desk) -> None:
    for reviewer, seconds in (("anna", 10), ("anna", 30), ("boris", 50)):
        document_id = await desk.opened(sure=0.1)
        await claim_item(document_id, reviewer, desk.use)
        await desk.time.pass_for(seconds)
        await approve_item(document_id, reviewer, 1, desk.use)

    paces = await desk.use.insight.measure_decisions(30)

    assert [(one.reviewer, one.decisions, one.today) for one in paces] == [
        (None, 3, 3),
        ("anna", 2, 2),
        ("boris", 1, 1),
    ]
    assert [one.median_s for one in paces] == pytest.approx([30, 20, 50], abs=5)
    assert paces[0].p90_s == pytest.approx(46, abs=5)
    assert paces[2].elapsed_median_s == pytest.approx(50, abs=5)


async def test_corrections_are_told_by_field(desk: Desk) -> None:
    for _ in range(2):
        document_id = await desk.opened(sure=0.1)
        await claim_item(document_id, "anna", desk.use)
        await desk.time.correct(document_id, "total", "191.00")
        await desk.time.pass_for(40)
        await approve_item(document_id, "anna", 1, desk.use)

    [corrected] = await desk.use.insight.measure_corrections(30, 10)

    assert (corrected.field, corrected.corrections) == ("total", 2)
    assert corrected.median_s == pytest.approx(40, abs=5)


async def test_what_waits_is_measured(desk: Desk) -> None:
    await desk.opened(due_in_s=-60)
    await desk.opened()

    measured = await desk.use.insight.measure_queue()

    assert (measured.open_items, measured.overdue_items) == (2, 1)


def test_accuracy_is_bought_with_coverage() -> None:
    bins = [Bin(0.5, 4, 2, 0.55), Bin(0.9, 6, 6, 0.95)]

    assert curve_of(bins) == [Coverage(0.9, 0.6, 1.0), Coverage(0.5, 1.0, 0.8)]
    assert error_of(bins) == pytest.approx((abs(2 - 2.2) + abs(6 - 5.7)) / 10)
    assert error_of([]) is None
