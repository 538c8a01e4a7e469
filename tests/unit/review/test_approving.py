"""What blocks a document is approved only by somebody who says why."""

from dataclasses import replace

import pytest

from services.review.domain.decisions import Blocked, UnknownOriginal
from services.review.domain.items import Decision, ItemStatus, ReviewItem
from services.review.handlers.deciding import approve_item, mark_duplicate
from services.review.ports.forms import ItemFindings
from shared.contracts.extraction import Finding
from shared.contracts.facts import ReviewDecidedV1
from shared.contracts.orders import FinaliseDocumentV1
from tests import builders
from tests.unit.review.world import World

UNKNOWN_ACCOUNT = Finding(
    code="unknown_account",
    severity="block",
    detail="The account is new for this issuer.",
    touches=("payment.accounts.0.iban",),
)
ODD_SUM = Finding(code="sum", severity="warn", detail="The lines do not add up.")


async def opened_with(world: World, *findings: Finding, status: str = "") -> ReviewItem:
    item = await world.opened()
    extraction = builders.extraction(document_id=item.document_id)
    told = extraction.model_copy(update={"findings": findings})
    if status:
        world.items.fields = [
            replace(one, status=status, source="human", value="120.00")
            if one.path == "total"
            else one
            for one in world.items.fields
        ]
    item = replace(item, extraction_key=world.store(told))
    world.items.items[item.document_id] = item
    world.forms.findings[item.document_id] = ItemFindings(item.document_id, (), findings)
    return item


def duplicate_of(item: ReviewItem, original: ReviewItem) -> Decision:
    return Decision(
        item.document_id,
        item.version,
        "anna",
        "rejected",
        reason_code="duplicate",
        reason="Scanned twice.",
        duplicate_of=original.document_id,
    )


async def test_what_blocks_is_named_and_nothing_is_recorded(world: World) -> None:
    item = await opened_with(world, UNKNOWN_ACCOUNT, ODD_SUM)

    with pytest.raises(Blocked) as refused:
        await approve_item(item.document_id, "anna", item.version, world.ports)

    assert [one.code for one in refused.value.blockers] == ["unknown_account"]
    assert (await world.item(item.document_id)).status is ItemStatus.PENDING
    assert (world.ledger.sent, world.trail.entries) == ([], [])


async def test_an_override_approves_it_and_its_reason_is_on_record(world: World) -> None:
    item = await opened_with(world, UNKNOWN_ACCOUNT)

    approved = await approve_item(
        item.document_id, "anna", item.version, world.ports, override="Asked by phone."
    )

    assert (approved.status, approved.reason) == (ItemStatus.APPROVED, "Asked by phone.")
    entry = world.trail.entries[-1]
    assert entry.reason == "Asked by phone."
    assert isinstance(entry.after, dict)
    assert entry.after["overridden"] == ["unknown_account"]


async def test_an_override_of_nothing_is_not_recorded(world: World) -> None:
    item = await opened_with(world, ODD_SUM)

    approved = await approve_item(
        item.document_id, "anna", item.version, world.ports, override="Just in case."
    )

    assert approved.reason is None
    assert isinstance(world.trail.entries[-1].after, dict)
    assert world.trail.entries[-1].after["overridden"] == []


async def test_an_approval_of_a_value_that_a_person_changed_is_a_correction(
    world: World,
) -> None:
    item = await opened_with(world, status="corrected")

    approved = await approve_item(item.document_id, "anna", item.version, world.ports)
    again = await approve_item(item.document_id, "anna", item.version, world.ports)

    assert approved.status is ItemStatus.CORRECTED
    assert again == approved
    order, fact = world.ledger.sent
    assert isinstance(order, FinaliseDocumentV1)
    assert isinstance(fact, ReviewDecidedV1)
    assert (order.verdict, fact.verdict) == ("corrected", "corrected")


async def test_the_machine_approves_by_the_same_function(world: World) -> None:
    item = await world.opened()

    approved = await approve_item(item.document_id, "system", item.version, world.ports)

    assert (approved.decided_by, world.trail.entries[-1].actor) == ("system", "system")


async def test_a_duplicate_is_rejected_and_names_its_original(world: World) -> None:
    original, copy = await world.opened(), await world.opened()

    marked = await mark_duplicate(duplicate_of(copy, original), world.ports)
    again = await mark_duplicate(duplicate_of(copy, original), world.ports)

    assert (marked.status, marked.duplicate_of) == (
        ItemStatus.REJECTED,
        original.document_id,
    )
    assert again == marked
    [fact] = world.ledger.sent
    assert isinstance(fact, ReviewDecidedV1)
    assert (fact.verdict, fact.reason_code) == ("rejected", "duplicate")


async def test_nothing_is_a_duplicate_of_itself_or_of_somebody_elses(world: World) -> None:
    item, foreign = await world.opened(), await world.opened()
    world.items.items[foreign.document_id] = replace(foreign, owner_id="somebody else")

    for original in (item, foreign):
        with pytest.raises(UnknownOriginal):
            await mark_duplicate(duplicate_of(item, original), world.ports)

    assert (await world.item(item.document_id)).status is ItemStatus.PENDING
