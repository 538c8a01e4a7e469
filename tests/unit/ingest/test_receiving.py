"""Taking an upload in: all of it or nothing."""

from dataclasses import replace

import pytest

from services.ingest.api.shapes import accepted_text, accepted_view
from services.ingest.domain.documents import Details
from services.ingest.handlers import receive_document
from services.ingest.ports.admissions import UNMETERED, Unmetered
from shared.contracts.body import Priority
from shared.contracts.facts import DocumentAcceptedV1
from shared.contracts.identity import new_id
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Rejected, Retryable
from tests import builders
from tests.unit.ingest.world import FakeUpload, World


@pytest.fixture
def world() -> World:
    return World()


async def test_an_upload_is_a_row_an_order_and_a_fact(world: World) -> None:
    upload = FakeUpload(details=Details("acme", "a.pdf", Priority.HIGH))

    received = await receive_document(upload, world.use)

    order, fact = world.ledger.sent
    assert isinstance(order, ExtractDocumentV1)
    assert isinstance(fact, DocumentAcceptedV1)
    row = world.documents.rows[received.document_id]
    for told in (order, fact):
        assert told.document_id == row.document_id
        assert told.owner_id == row.owner_id == "acme"
        assert told.accepted_at == row.created_at == world.clock.now()
        assert told.priority == row.priority == Priority.HIGH
        assert told.sha256 == row.sha256 == builders.SHA256
    assert order.content_key == row.content_key == builders.CONTENT_KEY
    assert world.blobs.objects == {builders.CONTENT_KEY: builders.PDF}


async def test_the_accepted_fact_is_recognised_when_it_comes_back(world: World) -> None:
    received = await receive_document(FakeUpload(), world.use)

    [known_id] = [fact_id for fact_id, _ in world.documents.events[received.document_id]]
    assert world.ledger.messages[1].job_id == known_id


async def test_the_same_bytes_twice_are_two_documents(world: World) -> None:
    first = await receive_document(FakeUpload(), world.use)
    second = await receive_document(FakeUpload(), world.use)

    assert first.document_id != second.document_id
    assert len(world.documents.rows) == 2


async def test_the_same_key_and_request_are_the_same_document(world: World) -> None:
    first = await receive_document(FakeUpload().with_key("one"), world.use)
    second = await receive_document(FakeUpload().with_key("one"), world.use)

    assert second.document_id == first.document_id
    assert (first.replayed, second.replayed) == (False, True)
    assert len(world.documents.rows) == 1
    assert len(world.ledger.sent) == 2


async def test_a_key_of_one_client_means_nothing_to_another(world: World) -> None:
    theirs = FakeUpload(details=Details("globex", "invoice.pdf"))

    first = await receive_document(FakeUpload().with_key("one"), world.use)
    second = await receive_document(theirs.with_key("one"), world.use)

    assert second.document_id != first.document_id


@pytest.mark.parametrize(
    "other",
    [
        FakeUpload(builders.PDF + b"%more"),
        FakeUpload(details=Details(builders.OWNER, "another.pdf")),
    ],
    ids=["other bytes", "another name"],
)
async def test_a_used_key_does_not_open_another_request(
    world: World, other: FakeUpload
) -> None:
    await receive_document(FakeUpload().with_key("one"), world.use)

    with pytest.raises(Rejected, match="idempotency_mismatch"):
        await receive_document(other.with_key("one"), world.use)

    assert len(world.documents.rows) == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"<html>", "unsupported_type"),
        (b"%PDF-1.7" + bytes(64 * 1024), "too_large"),
    ],
    ids=["nothing", "a page", "more than the limit"],
)
async def test_what_is_no_document_leaves_nothing_behind(
    world: World, data: bytes, reason: str
) -> None:
    with pytest.raises(Rejected, match=reason):
        await receive_document(FakeUpload(data), world.use)

    assert not world.blobs.objects
    assert not world.documents.rows
    assert not world.ledger.sent


async def test_without_the_object_store_nothing_is_promised(world: World) -> None:
    world.blobs.away = True

    with pytest.raises(Retryable):
        await receive_document(FakeUpload(), world.use)

    assert not world.documents.rows
    assert not world.ledger.sent


def test_the_ports_of_a_request_are_the_same_but_for_its_admission(world: World) -> None:
    mine = Unmetered()

    bound = world.use.of_request(mine)

    assert bound.admission is mine
    assert world.use.admission is UNMETERED
    assert replace(bound, admission=UNMETERED) == world.use


def test_the_answer_that_is_made_once_is_that_of_every_document() -> None:
    for document_id in (new_id(), new_id()):
        assert accepted_text(document_id) == accepted_view(document_id).model_dump_json()
