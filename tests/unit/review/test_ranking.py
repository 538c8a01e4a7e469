"""Why an item is looked at before another, in points and in words."""

from datetime import timedelta

import pytest

from services.review.domain.basis import Basis
from services.review.domain.items import ReviewItem
from services.review.domain.ranking import (
    Plan,
    Points,
    Rank,
    Sla,
    points_of,
    rank_of,
    sla_of,
    spoken,
)
from services.review.handlers.claiming import claim_next_item
from services.review.handlers.opening import open_items
from shared.contracts.body import Priority
from shared.contracts.extraction import ExtractedField, Finding
from tests import builders
from tests.fakes.clock import NOON
from tests.unit.review.world import World

IBAN = "payment.accounts[].iban"
PLAN = Plan(critical={"total": True, "invoice_number": True, IBAN: False})


def _fields(**more: ExtractedField) -> dict[str, ExtractedField]:
    return {
        "invoice_number": builders.read_as("R-1", 0.95),
        "total": builders.read_as("119.00", 0.97),
        "currency": builders.read_as("EUR", 0.1),
        **more,
    }


def _rank(fields: dict[str, ExtractedField], **given: object) -> Rank:
    return rank_of(
        Basis.of_reading(builders.extraction(fields=fields, **given), PLAN.critical), PLAN
    )


def test_one_bad_iban_counts_however_sure_the_rest_is() -> None:
    bad = {"payment.accounts.1.iban": builders.read_as("DE1", 0.42)}

    rank = _rank({**_fields(), **bad})

    assert rank.doubt == pytest.approx(0.58)
    assert rank.facts["field"] == "payment.accounts.1.iban"


def test_what_does_not_count_casts_no_doubt() -> None:
    assert _rank(_fields()).doubt == pytest.approx(0.05)


def test_a_missing_field_that_always_counts_is_all_doubt() -> None:
    fields = _fields()
    del fields["total"]

    rank = _rank(fields)

    assert (rank.doubt, rank.facts["field"]) == (1, "total")


def test_a_missing_field_that_counts_if_present_casts_no_doubt() -> None:
    assert _rank(_fields()).facts["field"] == "invoice_number"


def test_lines_pages_and_failed_rules_add_up_to_all_at_most() -> None:
    simple = _rank(_fields(), page_count=0)
    lines = {f"lines.{one}.net_amount": builders.read_as("1") for one in range(20)}
    failed = (Finding(code="E4", severity="block"), Finding(code="INFO", severity="info"))

    half = _rank({**_fields(), **lines}, page_count=0)
    more = _rank({**_fields(), **lines}, page_count=0, findings=failed)
    endless = _rank({**_fields(), **lines}, page_count=5000)

    assert simple.complexity == 0
    assert half.complexity == pytest.approx(0.5)
    assert more.complexity == pytest.approx(0.6)
    assert endless.complexity == 1


@pytest.mark.parametrize(
    ("total", "share"),
    [("25000", 0.5), ("-25000.00", 0.5), ("999999999", 1), ("many", 0), ("NaN", 0), (None, 0)],
)
def test_value_is_a_share_of_what_counts_as_all(total: str | None, share: float) -> None:
    fields = {**_fields(), "total": builders.read_as(total)}

    assert _rank(fields).value == pytest.approx(share)


def test_base_is_made_of_all_parts_that_time_does_not_change() -> None:
    rank = _rank({**_fields(), "total": builders.read_as("25000", 0.9)}, page_count=5)

    assert rank.base == pytest.approx(40 * 0.1 + 20 * 0.5 + 10 * 0.5)


@pytest.mark.parametrize(
    ("due_in_h", "points"), [(240, -30), (120, 0), (60, 15), (0, 30), (-50, 30)]
)
async def test_nearness_grows_until_it_is_due(due_in_h: float, points: float) -> None:
    assert (await _points(due_in_h)).sla == pytest.approx(points)


async def test_the_score_that_is_shown_is_the_order_in_which_items_are_lent() -> None:
    """Also of those that are wanted long from now."""
    world = World(PLAN)
    totals = (("9000", 1), ("50000", 100), ("100", 300), ("40000", 200), ("50000", 2000))
    for total, due_in_h in totals:
        extraction = builders.extraction(fields={**_fields(), "total": builders.read_as(total)})
        key = world.store(extraction)
        order = builders.open_review(
            document_id=extraction.document_id,
            extraction_key=key,
            due_at=NOON + timedelta(hours=due_in_h),
        )
        await open_items([builders.job(order)], world.ports)

    lent = [await claim_next_item("anna", world.ports) for _ in totals]

    scores = [points_of(one, PLAN, NOON).score for one in lent if one is not None]
    assert len(scores) == len(totals)
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] < 0


async def _points(due_in_h: float) -> Points:
    world = World(PLAN)
    due_at = NOON + timedelta(hours=due_in_h)
    return points_of(await _opened(world, due_at=due_at), PLAN, NOON)


async def _opened(world: World, **given: object) -> ReviewItem:
    extraction = builders.extraction(
        fields={**_fields(), "payment.accounts.0.iban": builders.read_as("DE1", 0.42)}
    )
    order = builders.open_review(
        document_id=extraction.document_id, extraction_key=world.store(extraction), **given
    )
    await open_items([builders.job(order)], world.ports)
    return await world.item(extraction.document_id)


async def test_the_strongest_reason_is_told_first() -> None:
    assert (await _points(2)).why == ("due in 2 h", "IBAN 42 % sure", "1 page")
    assert (await _points(-3)).why[0] == "late by 3 h"
    assert (await _points(119)).why == ("IBAN 42 % sure", "1 page")
    # Why it has to wait is a reason, too.
    assert (await _points(24 * 12)).why[-1] == "due in 12 days"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("payment.accounts.0.iban", "IBAN"),
        ("seller.vat_id", "seller VAT id"),
        ("invoice_number", "invoice number"),
        ("lines[].net_amount", "lines net amount"),
    ],
)
def test_a_field_is_called_what_a_person_calls_it(path: str, name: str) -> None:
    assert spoken(path) == name


@pytest.mark.parametrize(
    ("left_s", "state"), [(-1, Sla.LATE), (0, Sla.SOON), (60, Sla.SOON), (61, Sla.OK)]
)
def test_what_is_due_is_late_soon_or_neither(left_s: float, state: Sla) -> None:
    assert sla_of(NOON + timedelta(seconds=left_s), NOON, soon_s=60) is state


async def test_without_a_word_of_the_client_it_is_due_by_its_priority() -> None:
    world = World(PLAN)

    urgent = await world.opened(Priority.URGENT)
    bulk = await world.opened(Priority.BULK)
    asked = await _opened(world, due_at=NOON + timedelta(days=9))

    assert urgent.due_at == builders.ACCEPTED_AT + timedelta(hours=2)
    assert bulk.due_at == builders.ACCEPTED_AT + timedelta(hours=120)
    assert asked.due_at == NOON + timedelta(days=9)
