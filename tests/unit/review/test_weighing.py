"""What is changed on a form changes the item's place, and what it is found by."""

import pytest

from services.review.domain.edits import Change
from tests.unit.review.form_world import FormWorld, put


@pytest.fixture
def world() -> FormWorld:
    return FormWorld()


async def test_an_item_is_found_by_what_a_person_made_of_it(world: FormWorld) -> None:
    item = await world.held()

    saved = await world.correct(
        item, put("seller.name", "Nordlicht AG"), put("invoice_number", "N-7")
    )

    assert (saved.vendor_name, saved.invoice_number) == ("Nordlicht AG", "N-7")
    assert await world.item(item.document_id) == saved


async def test_what_is_worth_more_and_breaks_rules_comes_sooner(world: FormWorld) -> None:
    item = await world.held()

    saved = await world.correct(item, put("total", "90000.00"))

    assert saved.value > item.value
    assert saved.complexity > item.complexity
    assert saved.base > item.base
    assert saved.rank_key > item.rank_key
    assert saved.ranked_on["total"] == "90000.00"
    assert saved.due_at == item.due_at


async def test_how_sure_the_reading_was_stays_for_whoever_measures_it(world: FormWorld) -> None:
    item = await world.held()

    saved = await world.correct(item, Change("confirm", "total"), put("invoice_number", "N-7"))

    assert saved.doubt == item.doubt
    assert saved.ranked_on["field"] == item.ranked_on["field"]
