"""Reading a document: what is announced, what is kept, and what is never paid for twice."""

import pytest

from shared.bus.jobs import AlreadyHandled
from shared.contracts.body import Priority
from shared.contracts.facts import DocumentExtractedV1, DocumentStartedV1
from shared.contracts.orders import StoreDocumentV1
from shared.errors import Rejected, Retryable
from tests import builders
from tests.fakes.ledger import FakeLedger
from tests.unit.extractor.world import World


@pytest.fixture
def world() -> World:
    return World()


async def test_a_document_is_announced_read_and_ordered_to_be_stored(world: World) -> None:
    order = builders.extract_document(priority=Priority.URGENT)

    await world.deliver(builders.job(order))

    assert [type(body) for body in world.ledger.sent] == [
        DocumentStartedV1,
        StoreDocumentV1,
        DocumentExtractedV1,
    ]
    [store] = world.stored()
    assert store.document_id == order.document_id
    assert store.priority == Priority.URGENT
    assert not store.cache_hit
    assert world.extraction().fields["total"].value == "119.00"
    assert world.extraction().fields["total"].evidence[0].bbox == (0.7, 0.8, 0.9, 0.82)


async def test_the_same_reading_has_the_same_key(world: World) -> None:
    job = builders.job(builders.extract_document())
    await world.deliver(job)
    other = World()

    await other.deliver(job)

    assert other.stored()[0].extraction_key == world.stored()[0].extraction_key


async def test_known_content_is_not_read_again(world: World) -> None:
    await world.deliver()
    again = builders.extract_document(filename="copy.pdf")

    await world.deliver(builders.job(again))

    assert world.engine.calls == 1
    assert world.stored()[-1].cache_hit
    assert world.extraction().cache_hit
    assert world.extraction().document_id == again.document_id
    assert world.extraction().filename == "copy.pdf"
    assert world.extraction().fields == world.extraction(0).fields


async def test_another_owner_does_not_get_a_kept_answer(world: World) -> None:
    await world.deliver()

    await world.deliver(builders.job(builders.extract_document(owner_id="somebody-else")))

    assert world.engine.calls == 2
    assert not world.stored()[-1].cache_hit


async def test_another_configuration_reads_anew(world: World) -> None:
    await world.deliver()
    world.engine.config = "fake/2"

    await world.deliver()

    assert world.engine.calls == 2


async def test_an_answer_past_its_time_is_read_anew(world: World) -> None:
    await world.deliver()
    world.clock.advance(world.terms.cache_ttl_s)

    await world.deliver()
    await world.deliver()

    assert world.engine.calls == 2
    assert [one.cache_hit for one in world.stored()] == [False, False, True]


async def test_a_forced_reading_replaces_the_answer_that_is_kept(world: World) -> None:
    await world.deliver()
    due_at = builders.ACCEPTED_AT
    forced = builders.extract_document(force=True, replaces_version=1, due_at=due_at)

    await world.deliver(builders.job(forced))
    await world.deliver()

    assert world.engine.calls == 2
    assert [one.cache_hit for one in world.stored()] == [False, False, True]
    assert (world.stored()[1].replaces_version, world.stored()[1].due_at) == (1, due_at)
    assert world.processed.kept[world.content].document_id == forced.document_id


async def test_a_crash_after_a_forced_reading_costs_no_second_call(world: World) -> None:
    first = builders.extract_document()
    await world.deliver(builders.job(first))
    forced = builders.job(
        builders.extract_document(document_id=first.document_id, force=True), run=1
    )
    await world.deliver(forced)
    world.ledger = FakeLedger()

    await world.deliver(forced)

    assert world.engine.calls == 2
    assert not world.stored()[0].cache_hit


async def test_a_crash_after_the_answer_costs_no_second_call_and_is_no_duplicate(
    world: World,
) -> None:
    job = builders.job(builders.extract_document())
    await world.deliver(job)
    # The commit was lost; what had been kept before was not.
    world.ledger = FakeLedger()

    await world.deliver(job)

    assert world.engine.calls == 1
    assert not world.stored()[0].cache_hit


async def test_a_kept_answer_whose_bytes_are_lost_is_read_anew(world: World) -> None:
    await world.deliver()
    [kept] = world.processed.kept.values()
    del world.blobs.objects[kept.extraction_key]

    await world.deliver()

    assert world.engine.calls == 2
    assert not world.stored()[-1].cache_hit


@pytest.mark.parametrize("error", [Rejected("encrypted"), Retryable("engine away")])
async def test_a_failed_reading_leaves_nothing_but_the_announcement(
    world: World, error: Exception
) -> None:
    world.engine.error = error

    with pytest.raises(type(error)):
        await world.deliver()

    assert [type(body) for body in world.ledger.sent] == [DocumentStartedV1]
    assert not world.processed.kept


async def test_a_scan_over_the_limit_is_rejected_unread(world: World) -> None:
    world.blobs.objects[builders.CONTENT_KEY] = builders.PDF * 100

    with pytest.raises(Rejected, match="too_large"):
        await world.deliver()

    assert not world.engine.calls


async def test_a_job_done_before_is_not_done_again(world: World) -> None:
    job = builders.job(builders.extract_document())
    await world.deliver(job)

    with pytest.raises(AlreadyHandled):
        await world.deliver(job)

    assert len(world.stored()) == 1
