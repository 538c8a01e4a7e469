"""One key stands for one request of many documents, whatever it was and however often sent."""

from dataclasses import replace

import pytest

from services.ingest.domain.batches import Reference, Wish
from services.ingest.domain.said import Said
from services.ingest.handlers import receive_document
from services.ingest.handlers.batches import (
    BatchReceived,
    receive_files,
    receive_references,
)
from shared.contracts.body import Priority
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Rejected
from tests import builders
from tests.fakes.parts import FakeParts
from tests.unit.ingest.world import FakeUpload, World

KNOWN = Reference(builders.CONTENT_KEY, "invoice.pdf")
UNKNOWN = Reference("sha256/00/" + "0" * 64)
URGENT = Wish(Priority.URGENT)
KEY = "night-1"


@pytest.fixture
async def world() -> World:
    world = World()
    await receive_document(FakeUpload(), world.use)
    world.ledger.messages.clear()
    return world


async def _received(world: World, *items: Reference) -> BatchReceived:
    return await receive_references(builders.OWNER, items, KEY, world.use)


def _orders(world: World) -> list[ExtractDocumentV1]:
    return [body for body in world.ledger.sent if isinstance(body, ExtractDocumentV1)]


async def test_a_batch_sent_twice_under_one_key_is_one_batch(world: World) -> None:
    items = KNOWN, UNKNOWN, KNOWN
    first = await _received(world, *items)
    again = await _received(world, *items)

    assert (again.replayed, again.batch_id) == (True, first.batch_id)
    assert len(_orders(world)) == 2


async def test_a_key_is_judged_by_what_was_asked_and_not_by_what_exists_now(
    world: World,
) -> None:
    first = await _received(world, KNOWN, UNKNOWN)
    for document_id, row in world.documents.rows.items():
        world.documents.rows[document_id] = replace(row, content_key="")

    again = await _received(world, KNOWN, UNKNOWN)

    assert (again.replayed, again.batch_id) == (True, first.batch_id)


async def test_files_and_references_to_them_are_the_same_request(world: World) -> None:
    parts = FakeParts([("invoice.pdf", builders.PDF)])
    first = await receive_files(builders.OWNER, parts, KEY, world.use)
    again = await _received(world, KNOWN)

    assert (again.replayed, again.batch_id) == (True, first.batch_id)


@pytest.mark.parametrize(
    "items",
    [
        [KNOWN],
        [KNOWN] * 3,
        [KNOWN, replace(KNOWN, filename="another.pdf")],
        [KNOWN, replace(KNOWN, wish=URGENT)],
        [KNOWN, replace(KNOWN, wish=Wish(said=Said(tags=("rent",))))],
        [KNOWN, UNKNOWN],
    ],
    ids=["fewer", "more", "other names", "more urgent", "other words", "others"],
)
async def test_one_key_stands_for_one_batch(world: World, items: list[Reference]) -> None:
    await _received(world, KNOWN, KNOWN)

    with pytest.raises(Rejected, match="idempotency_mismatch"):
        await _received(world, *items)


async def test_each_item_has_a_key_of_its_own(world: World) -> None:
    await _received(world, KNOWN, UNKNOWN, KNOWN)

    assert {key for _, _, key in world.documents.claims} == {
        "night-1",
        "night-1:0",
        "night-1:2",
    }
