"""A document that was read too badly is given back, and its item waits for the new reading."""

from dataclasses import replace

import pytest

from services.review.domain.decisions import NoSuchEngine, Reextraction
from services.review.domain.items import (
    AlreadyDecided,
    ClaimedByAnother,
    ItemStatus,
    ReviewItem,
    StaleVersion,
)
from services.review.handlers.claiming import claim_item
from services.review.handlers.deciding import approve_item
from services.review.handlers.opening import open_items
from services.review.handlers.reextracting import ask_for_reading
from shared.contracts.orders import ReextractDocumentV1
from tests import builders
from tests.unit.review.world import World


def wish(item: ReviewItem, actor: str = "anna") -> Reextraction:
    return Reextraction(item.document_id, actor, item.version, "Half is missing.")


async def test_the_item_waits_in_nobodys_hands_and_ingest_is_asked(world: World) -> None:
    item = await world.opened()
    await claim_item(item.document_id, "anna", world.ports)
    world.ledger.messages.clear()

    waits = await ask_for_reading(wish(item), world.ports)

    assert (waits.status, waits.claimed_by) == (ItemStatus.PENDING, None)
    assert waits.reextract_asked_by == "anna"
    assert waits.postponed_until is not None
    assert waits.version == item.version + 1
    [order, _] = world.ledger.sent
    assert isinstance(order, ReextractDocumentV1)
    assert (order.result_version, order.reviewer, order.engine) == (1, "anna", None)
    entry = world.trail.entries[-1]
    assert (entry.action, entry.reason) == ("item_given_back", "Half is missing.")


async def test_asking_twice_is_asking_once(world: World) -> None:
    item = await world.opened()

    first = await ask_for_reading(wish(item), world.ports)
    second = await ask_for_reading(wish(item), world.ports)

    assert second == first
    assert [one.type for one in world.ledger.sent].count("document.reextract") == 1


async def test_the_order_names_the_engine_that_was_chosen(world: World) -> None:
    item = await world.opened()

    await ask_for_reading(replace(wish(item), engine="offline"), world.ports)

    order = world.ledger.sent[0]
    assert isinstance(order, ReextractDocumentV1)
    assert order.engine == "offline"
    after = world.trail.entries[-1].after
    assert isinstance(after, dict)
    assert after["engine"] == "offline"


async def test_an_engine_that_does_not_read_here_is_not_asked(world: World) -> None:
    item = await world.opened()
    here = replace(world.ports, engines=("einvoice", "offline"))

    with pytest.raises(NoSuchEngine, match="read here by einvoice, offline"):
        await ask_for_reading(replace(wish(item), engine="gemini"), here)

    assert (await world.item(item.document_id)) == item
    assert world.ledger.sent == []


async def test_it_comes_back_with_the_new_reading(world: World) -> None:
    item = await world.opened()
    await ask_for_reading(wish(item), world.ports)
    fields = {"total": builders.read_as("200.00")}
    read = builders.extraction(document_id=item.document_id, fields=fields)
    order = builders.open_review(
        document_id=item.document_id, extraction_key=world.store(read), result_version=2
    )

    await open_items([builders.job(order, run=1)], world.ports)

    shown = await world.item(item.document_id)
    assert (shown.reextract_asked_at, shown.postponed_until) == (None, None)
    assert shown.result_version == 2


async def test_a_person_may_change_their_mind_while_it_waits(world: World) -> None:
    item = await world.opened()
    waits = await ask_for_reading(wish(item), world.ports)

    approved = await approve_item(item.document_id, "anna", waits.version, world.ports)

    assert approved.status is ItemStatus.APPROVED


async def test_what_is_not_ones_to_decide_is_not_ones_to_give_back(world: World) -> None:
    item = await world.opened()
    await claim_item(item.document_id, "boris", world.ports)

    with pytest.raises(ClaimedByAnother):
        await ask_for_reading(wish(item), world.ports)
    with pytest.raises(StaleVersion):
        stale = Reextraction(item.document_id, "boris", 7, "Half is missing.")
        await ask_for_reading(stale, world.ports)
    await approve_item(item.document_id, "boris", item.version, world.ports)
    with pytest.raises(AlreadyDecided):
        await ask_for_reading(wish(item), world.ports)
