"""A decision is recorded once, and storage is told what was approved."""

from dataclasses import replace
from uuid import uuid4

import pytest

from services.review.domain.items import (
    AlreadyDecided,
    ClaimedByAnother,
    Decision,
    ItemStatus,
    NoSuchItem,
    ReviewItem,
    StaleVersion,
    fields_of,
)
from services.review.handlers.claiming import claim_item
from services.review.handlers.deciding import approve_item, reject_item
from services.review.handlers.withdrawing import withdraw_items
from shared.contracts.extraction import ExtractionV1
from shared.contracts.facts import ReviewDecidedV1
from shared.contracts.orders import FinaliseDocumentV1
from shared.ledger.port import Unit
from tests import builders
from tests.fakes.review import InMemoryReviewItems
from tests.unit.review.world import LEASE_S, World


def rejection(item: ReviewItem, reviewer: str = "anna") -> Decision:
    return Decision(
        item.document_id,
        item.version,
        reviewer,
        "rejected",
        reason_code="not_an_invoice",
        reason="A delivery note.",
    )


async def test_an_approval_orders_the_confirmed_extraction_to_be_finalised(
    world: World,
) -> None:
    item = await world.opened()

    approved = await approve_item(item.document_id, "anna", item.version, world.ports)

    assert approved.status is ItemStatus.APPROVED
    order, fact = world.ledger.sent
    assert isinstance(order, FinaliseDocumentV1)
    assert (order.verdict, order.reviewer, order.review_revision) == ("approved", "anna", 1)
    assert isinstance(fact, ReviewDecidedV1)
    assert fact.verdict == "approved"
    reviewed = ExtractionV1.model_validate_json(await world.blobs.read(order.extraction_key))
    total = reviewed.fields["total"]
    assert (total.value, total.status, total.source) == ("119.00", "confirmed", "pdf_text")


async def test_a_value_that_nobody_read_is_not_called_confirmed(world: World) -> None:
    item = await world.opened()
    extraction = builders.extraction(
        document_id=item.document_id, fields={"total": builders.read_as(None)}
    )
    key = world.store(extraction)
    world.items.items[item.document_id] = replace(item, extraction_key=key)
    world.items.fields = fields_of(extraction)

    approved = await approve_item(item.document_id, "anna", item.version, world.ports)

    raw = await world.blobs.read(str(approved.reviewed_key))
    assert ExtractionV1.model_validate_json(raw).fields["total"].status == "missing"


async def test_a_decision_goes_on_in_the_run_and_trace_of_the_opening(world: World) -> None:
    item = await world.opened(run=2)
    trace = f"00-{'a' * 32}-{'b' * 16}-01"
    world.items.items[item.document_id] = replace(item, traceparent=trace)

    await approve_item(item.document_id, "anna", item.version, world.ports)

    causes = [message.cause for message in world.ledger.messages]
    assert [(cause.run, cause.traceparent) for cause in causes if cause] == [(2, trace)] * 2


async def test_a_second_click_approves_nothing_twice(world: World) -> None:
    item = await world.opened()
    first = await approve_item(item.document_id, "anna", item.version, world.ports)

    second = await approve_item(item.document_id, "anna", item.version, world.ports)

    assert second == first
    assert len(world.ledger.sent) == 2


async def test_an_item_that_changed_since_it_was_seen_is_not_decided(world: World) -> None:
    item = await world.opened()
    world.items.items[item.document_id] = replace(item, version=2)

    with pytest.raises(StaleVersion):
        await approve_item(item.document_id, "anna", 1, world.ports)

    assert world.ledger.sent == []


async def test_what_another_holds_is_not_decided_until_the_lease_ends(world: World) -> None:
    item = await world.opened()
    await claim_item(item.document_id, "anna", world.ports)

    with pytest.raises(ClaimedByAnother):
        await approve_item(item.document_id, "boris", item.version, world.ports)
    world.clock.advance(LEASE_S + 1)
    approved = await approve_item(item.document_id, "boris", item.version, world.ports)

    assert approved.decided_by == "boris"


async def test_a_rejection_keeps_its_reason_and_orders_nothing(world: World) -> None:
    item = await world.opened()

    rejected = await reject_item(rejection(item), world.ports)

    assert rejected.status is ItemStatus.REJECTED
    assert rejected.reason_code == "not_an_invoice"
    [fact] = world.ledger.sent
    assert isinstance(fact, ReviewDecidedV1)
    assert fact.verdict == "rejected"
    assert world.trail.entries[-1].reason == "A delivery note."


async def test_what_one_person_rejected_another_cannot_approve(world: World) -> None:
    item = await world.opened()
    await reject_item(rejection(item), world.ports)

    with pytest.raises(AlreadyDecided, match="rejected by anna"):
        await approve_item(item.document_id, "boris", item.version, world.ports)


async def test_a_withdrawn_document_is_not_approved(world: World) -> None:
    item = await world.opened()
    cancel = builders.cancelled(document_id=item.document_id)
    await withdraw_items([builders.job(cancel)], world.ports)

    with pytest.raises(AlreadyDecided, match="withdrawn"):
        await approve_item(item.document_id, "anna", item.version, world.ports)


async def test_an_unknown_document_cannot_be_approved(world: World) -> None:
    with pytest.raises(NoSuchItem):
        await approve_item(uuid4(), "anna", 1, world.ports)


async def test_a_decision_that_loses_the_race_is_told_who_was_faster(world: World) -> None:
    item = await world.opened()
    faster = _Outrun(world.items, rejection(item, "boris"))

    with pytest.raises(AlreadyDecided, match="rejected by boris"):
        await approve_item(
            item.document_id, "anna", item.version, replace(world.ports, items=faster)
        )

    assert world.ledger.sent == []


class _Outrun(InMemoryReviewItems):
    """Somebody else's decision commits just before the one that is asked for."""

    def __init__(self, items: InMemoryReviewItems, faster: Decision) -> None:
        super().__init__(items._clock)
        self.items = items.items
        self._faster = faster

    async def decide_item(self, unit: Unit, decision: Decision) -> ReviewItem | None:
        await super().decide_item(unit, self._faster)
        return await super().decide_item(unit, decision)
