"""A file that holds several invoices becomes several documents, once, and knows them."""

from uuid import UUID, uuid4

import pytest

from services.ingest.domain.documents import Details
from services.ingest.domain.said import Said
from services.ingest.handlers import receive_document, split_document
from shared.bus.jobs import AlreadyHandled, Job
from shared.contracts.body import Priority
from shared.contracts.facts import DocumentAcceptedV1, DocumentSplitFailedV1
from shared.contracts.orders import ExtractDocumentV1, PartV1, SplitDocumentV1
from shared.errors import Rejected, Withdrawn
from tests import builders
from tests.several_pages import pdf_of, words_of
from tests.unit.ingest.desk import SUBMITTER, Desk
from tests.unit.ingest.world import FakeUpload, World

THREE = pdf_of("first", "second", "third")
ONE, TWO = uuid4(), uuid4()


@pytest.fixture
def world() -> World:
    return World()


async def uploaded(world: World, data: bytes = THREE) -> UUID:
    said = Said(("spring",), '{"desk":7}')
    details = Details(builders.OWNER, "scan.pdf", Priority.HIGH, said=said)
    received = await receive_document(FakeUpload(data, details), world.use)
    world.ledger.messages.clear()
    return received.document_id


def order(parent: UUID, *pages: tuple[int, ...]) -> Job[SplitDocumentV1]:
    parts = [
        PartV1(document_id=one, pages=two) for one, two in zip((ONE, TWO), pages, strict=True)
    ]
    return builders.job(
        builders.split_document(document_id=parent, parts=parts, reason="Two in one.")
    )


async def test_each_part_is_a_document_with_the_words_of_its_file(world: World) -> None:
    parent = await uploaded(world)

    await split_document(order(parent, (1, 2), (3,)), world.use)

    one, two = world.documents.rows[ONE], world.documents.rows[TWO]
    assert [one.filename, two.filename] == ["scan p1-2.pdf", "scan p3.pdf"]
    assert (one.owner_id, one.priority) == (builders.OWNER, Priority.HIGH)
    assert (one.tags, one.metadata, one.status) == (["spring"], {"desk": 7}, "queued")
    assert words_of(await world.blobs.read(one.content_key)) == ["first", "second"]
    assert words_of(await world.blobs.read(two.content_key)) == ["third"]
    sent = [(type(body), body.document_id) for body in world.ledger.sent]  # type: ignore[attr-defined]
    assert sorted(sent, key=repr) == sorted(
        [(kind, of) for kind in (ExtractDocumentV1, DocumentAcceptedV1) for of in (ONE, TWO)],
        key=repr,
    )
    family = await world.splits.find_family(parent)
    assert family.children == [ONE, TWO]
    assert (await world.splits.find_family(TWO)).parent_id == parent


async def test_the_deed_is_on_record_with_its_reason(world: World) -> None:
    parent = await uploaded(world)

    await split_document(order(parent, (1, 2), (3,)), world.use)

    entry = world.trail.entries[-1]
    assert (entry.actor, entry.action) == ("anna", "document_split")
    assert (entry.resource, entry.reason) == (f"document/{parent}", "Two in one.")
    assert entry.after == {str(ONE): "1-2", str(TWO): "3"}


async def test_a_split_that_comes_twice_makes_nothing_twice(world: World) -> None:
    parent = await uploaded(world)
    job = order(parent, (1,), (2, 3))
    await split_document(job, world.use)
    sent = len(world.ledger.messages)

    with pytest.raises(AlreadyHandled):
        await split_document(job, world.use)
    await split_document(order(parent, (1,), (2, 3)), world.use)

    assert len(world.ledger.messages) == sent
    assert len(world.documents.rows) == 3


async def test_the_pages_of_a_deleted_file_become_nothing(world: World) -> None:
    with pytest.raises(Withdrawn):
        await split_document(order(uuid4(), (1,), (2,)), world.use)

    assert world.documents.rows == {}


@pytest.mark.parametrize(
    ("data", "pages", "why"),
    [
        pytest.param(b"\xff\xd8\xff a photograph", [(1,), (2,)], "no pages", id="a photograph"),
        pytest.param(THREE, [(1,), (4,)], "3 pages", id="a page that is not there"),
    ],
)
async def test_parts_that_cannot_be_made_are_told_to_whoever_wanted_them(
    world: World, data: bytes, pages: list[tuple[int, ...]], why: str
) -> None:
    parent = await uploaded(world, data)
    job = order(parent, *pages)

    await split_document(job, world.use)

    [told] = world.ledger.sent
    assert isinstance(told, DocumentSplitFailedV1)
    assert (told.document_id, told.parts, told.reason) == (parent, (ONE, TWO), "bad_split")
    assert why in told.detail
    assert [*world.documents.rows] == [parent]
    with pytest.raises(AlreadyHandled):
        await split_document(job, world.use)


async def test_torn_bytes_are_for_an_operator_who_brings_them_back(world: World) -> None:
    parent = await uploaded(world)
    world.blobs.objects = dict.fromkeys(world.blobs.objects, b"torn")

    with pytest.raises(Rejected, match="source_corrupt"):
        await split_document(order(parent, (1,), (2,)), world.use)

    assert not world.ledger.sent


async def test_file_and_parts_show_each_other() -> None:
    desk = Desk()
    async with desk.client:
        parent = await uploaded(desk)
        await split_document(order(parent, (1, 2), (3,)), desk.use)

        shown = (await desk.get(f"/v1/documents/{parent}", SUBMITTER)).json()
        part = (await desk.get(f"/v1/documents/{TWO}", SUBMITTER)).json()

    assert (shown["parent_id"], shown["children"]) == (None, [str(ONE), str(TWO)])
    assert (part["parent_id"], part["parent_pages"]) == (str(parent), [3])
    assert part["children"] == []
