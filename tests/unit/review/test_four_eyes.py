"""Where two persons are asked for, nobody approves what they handed in or changed."""

from dataclasses import replace
from decimal import Decimal

import httpx
import pytest

from services.review.api import build
from services.review.domain.decisions import Reopening
from services.review.domain.edits import Change
from services.review.domain.four_eyes import NeedsAnother
from services.review.domain.items import Decision, ItemStatus, ReviewItem
from services.review.domain.ranking import Plan
from services.review.handlers.approving import approve_automatic
from services.review.handlers.claiming import release_item
from services.review.handlers.deciding import approve_item, reject_item
from services.review.handlers.reopening import reopen_item
from shared.configuration.review import FourEyes, Review, StraightThrough
from tests import builders
from tests.fakes.entrance import entrance
from tests.fakes.keys import key_of
from tests.unit.review.form_world import BYTES, LATER, FormWorld, extraction, invoice, put

SUBMITTER = builders.OWNER


def world_with(**asked: object) -> FormWorld:
    rule = FourEyes.model_validate({"enabled": True, **asked})
    return FormWorld(Plan(Review(four_eyes=rule)))


@pytest.fixture
def world() -> FormWorld:
    return world_with()


async def approve(
    world: FormWorld, item: ReviewItem, reviewer: str, why: str | None = None
) -> ReviewItem:
    """Given back first by whoever holds it."""
    now = await world.item(item.document_id)
    if now.claimed_by_another(reviewer):
        await release_item(item.document_id, str(now.claimed_by), world.ports)
    return await approve_item(
        item.document_id, reviewer, now.version, world.ports, override=why, lead=True
    )


async def needs_another(
    world: FormWorld, item: ReviewItem, reviewer: str, why: str | None = None
) -> None:
    sent = len(world.ledger.sent)
    with pytest.raises(NeedsAnother):
        await approve(world, item, reviewer, why)
    assert (await world.item(item.document_id)).status in ("pending", "in_review")
    assert len(world.ledger.sent) == sent


async def is_approved(world: FormWorld, item: ReviewItem, reviewer: str) -> None:
    approved = await approve(world, item, reviewer)
    assert approved.status in (ItemStatus.APPROVED, ItemStatus.CORRECTED)
    assert approved.decided_by == reviewer


async def test_whoever_handed_it_in_does_not_approve_it_and_another_does(
    world: FormWorld,
) -> None:
    item = await world.held(SUBMITTER)

    await needs_another(world, item, SUBMITTER)

    await is_approved(world, item, "anna")


async def test_whoever_changed_a_value_does_not_approve_it_and_another_does(
    world: FormWorld,
) -> None:
    item = await world.correct(await world.held(), put("seller.name", "Harbor Works"))

    await needs_another(world, item, "anna")

    await is_approved(world, item, "boris")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(Change("clear", "seller.vat_id"), id="emptied"),
        pytest.param(Change("insert_line", at=1), id="a row more"),
        pytest.param(Change("remove_line", at=1), id="a row less"),
        pytest.param(Change("duplicate_line", at=0), id="a row twice"),
    ],
)
async def test_taking_something_away_or_adding_it_is_a_change(
    world: FormWorld, change: Change
) -> None:
    item = await world.correct(await world.held(), change)

    await needs_another(world, item, "anna", why="It is right so.")


async def test_saying_that_the_machine_is_right_is_no_change(world: FormWorld) -> None:
    item = await world.correct(await world.held(), Change("confirm", "seller.name"))

    await is_approved(world, item, "anna")


async def test_a_change_that_was_taken_back_counts_no_more(world: FormWorld) -> None:
    item = await world.correct(await world.held(), put("seller.name", "Harbor Works"))
    item = await world.correct(item, put("seller.name", "Harbour Works"))

    await is_approved(world, item, "anna")


async def test_of_two_who_changed_the_same_value_the_second_is_its_author(
    world: FormWorld,
) -> None:
    item = await world.correct(await world.held(), put("seller.name", "Harbor Works"))
    await release_item(item.document_id, "anna", world.ports)
    await world.claimed(item.document_id, "boris")

    await world.correct(item, put("seller.name", "Harbour Works Ltd"), reviewer="boris")

    # His word stands there now, and hers nowhere.
    await needs_another(world, item, "boris")
    await is_approved(world, item, "anna")


async def test_no_reason_and_no_lead_overrides_it(world: FormWorld) -> None:
    item = await world.correct(await world.held(), put("seller.name", "Harbor Works"))

    await needs_another(world, item, "anna", why="I checked it twice.")


async def test_rejecting_is_free(world: FormWorld) -> None:
    item = await world.held(SUBMITTER)

    rejected = await reject_item(
        Decision(item.document_id, item.version, SUBMITTER, "rejected", reason="Not ours."),
        world.ports,
    )

    assert rejected.status is ItemStatus.REJECTED


async def test_a_reopened_document_asks_for_two_persons_again(world: FormWorld) -> None:
    item = await world.correct(await world.held(), put("seller.name", "Harbor Works"))
    approved = await approve(world, item, "boris")
    asked = Reopening(item.document_id, "lena", approved.version, "Wrong supplier.")
    reopened = await reopen_item(asked, world.ports)

    await needs_another(world, reopened, "anna")
    await world.claimed(item.document_id, "boris")
    item = await world.correct(reopened, put("buyer.name", "Quay Ltd"), reviewer="boris")
    await needs_another(world, item, "boris")

    await is_approved(world, item, "lena")


async def test_what_was_said_of_the_same_bytes_before_is_that_persons_word(
    world: FormWorld,
) -> None:
    first = await world.correct(await world.held(), put("seller.name", "Harbor Works"))
    await reject_item(
        Decision(first.document_id, first.version, "anna", "rejected", reason="Again, please."),
        world.ports,
    )

    again = await world.shown(extraction(invoice(), BYTES, accepted_at=LATER))

    await needs_another(world, again, "anna")
    await is_approved(world, again, "boris")


@pytest.mark.parametrize(
    ("total", "is_meant"),
    [("1000.00", True), ("999.99", False), ("-1000.00", True), (None, True), ("much", True)],
)
async def test_only_amounts_of_so_much_are_meant_and_those_that_nobody_knows(
    total: str | None, is_meant: bool
) -> None:
    world = world_with(amount_min=Decimal(1000))
    item = await world.held(SUBMITTER, total=total)

    if is_meant:
        await needs_another(world, item, SUBMITTER, why="The sum is right.")
    else:
        assert (await approve(world, item, SUBMITTER, "The sum is right.")).decided_by


async def test_a_total_that_was_made_smaller_by_hand_is_still_the_one_that_was_read() -> None:
    world = world_with(amount_min=100)
    item = await world.correct(await world.held(), put("total", "19.00"))

    await needs_another(world, item, "anna", why="It is right so.")


async def test_as_it_comes_nobody_is_asked_for_a_second_person() -> None:
    world = FormWorld()
    item = await world.correct(
        await world.held(SUBMITTER), put("seller.name", "Harbor Works"), reviewer=SUBMITTER
    )

    await is_approved(world, item, SUBMITTER)


async def test_a_second_click_on_an_approval_is_no_second_approval(world: FormWorld) -> None:
    item = await world.held()
    first = await approve(world, item, "anna")

    assert await approve(world, item, "anna") == first


async def test_the_machine_is_nobodys_second_person() -> None:
    asked = Review(
        four_eyes=FourEyes(enabled=True), straight_through=StraightThrough(enabled=True)
    )
    world = FormWorld(Plan(asked))
    first = await world.correct(await world.held(), put("seller.name", "Harbor Works"))
    await reject_item(
        Decision(first.document_id, first.version, "anna", "rejected", reason="Again, please."),
        world.ports,
    )
    again = await world.shown(extraction(invoice(), BYTES, accepted_at=LATER))
    untouched = await world.another(invoice_number="R-1043")
    for one in (again, untouched):
        now = await world.item(one.document_id)
        world.items.items[one.document_id] = replace(now, automatic=True)

    await approve_automatic(world.ports)

    handed = await world.item(again.document_id)
    assert (handed.status, handed.automatic) == (ItemStatus.PENDING, False)
    [entry] = [one for one in world.trail.entries if one.action == "item_needs_a_person"]
    assert "another one changed a value" in entry.reason
    assert (await world.item(untouched.document_id)).decided_by == "system"


async def test_an_item_says_why_the_caller_cannot_approve_it(world: FormWorld) -> None:
    item = await world.correct(await world.held(), put("seller.name", "Harbor Works"))
    home, seen = f"/v1/items/{item.document_id}", {"If-Match": f'"{item.version}"'}
    anna, boris = key_of("anna", "lead"), key_of("boris", "reviewer")
    transport = httpx.ASGITransport(build(world.ports, entrance()))
    async with httpx.AsyncClient(transport=transport, base_url="http://review") as client:
        hers = (await client.get(home, headers=anna)).json()
        refused = await client.post(
            f"{home}/approve", headers={**anna, **seen}, json={"override": "I am sure."}
        )
        await client.post(f"{home}/release", headers=anna)
        his = (await client.get(home, headers=boris)).json()
        done = await client.post(f"{home}/approve", headers={**boris, **seen})

    assert "approve" not in hers["actions"]
    assert {"reject", "escalate"} <= set(hers["actions"])
    why = "Somebody else has to approve it, because you changed a value of it."
    assert hers["needs_another"] == why
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/needs-another")
    assert refused.json()["detail"].lower() == why.lower()
    assert ("approve" in his["actions"], his["needs_another"]) == (True, None)
    assert done.json()["status"] == "corrected"
