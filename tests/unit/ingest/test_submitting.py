"""Documents handed over by message: the same rules, and a key that is required."""

from hashlib import sha256

import pytest

from services.ingest.handlers import submit_documents
from shared.blobs.keys import content_key
from shared.bus.jobs import AlreadyHandled, Job
from shared.contracts.body import Priority
from shared.contracts.orders import ExtractDocumentV1, SubmitDocumentV1
from shared.errors import Rejected
from tests import builders
from tests.unit.ingest.world import World


@pytest.fixture
def world() -> World:
    world = World()
    world.blobs.objects[builders.CONTENT_KEY] = builders.PDF
    return world


def _job(**given: object) -> Job[SubmitDocumentV1]:
    return builders.job(builders.submit_document(**given))


def _orders(world: World) -> list[ExtractDocumentV1]:
    return [body for body in world.ledger.sent if isinstance(body, ExtractDocumentV1)]


async def test_a_batch_of_submissions_is_as_many_documents(world: World) -> None:
    jobs = [_job(idempotency_key=f"order-{n}", priority=Priority.URGENT) for n in range(3)]

    await submit_documents(jobs, world.use)

    assert {order.document_id for order in _orders(world)} == set(world.documents.rows)
    assert {order.priority for order in _orders(world)} == {Priority.URGENT}
    assert world.ledger.done == {job.job_id for job in jobs}
    assert [message.cause for message in world.ledger.messages[::2]] == jobs


async def test_a_submission_sent_twice_is_one_document(world: World) -> None:
    await submit_documents([_job(), _job()], world.use)
    await submit_documents([_job()], world.use)

    assert len(world.documents.rows) == 1
    assert len(_orders(world)) == 1


async def test_a_redelivered_submission_was_handled_before(world: World) -> None:
    job = _job()
    await submit_documents([job], world.use)

    with pytest.raises(AlreadyHandled):
        await submit_documents([job], world.use)

    assert len(world.documents.rows) == 1


async def test_a_redelivered_neighbour_does_not_stop_a_new_submission(world: World) -> None:
    job = _job()
    await submit_documents([job], world.use)

    await submit_documents([job, _job(idempotency_key="order-2")], world.use)

    assert len(world.documents.rows) == 2


@pytest.mark.parametrize("in_one_batch", [True, False])
async def test_a_used_key_does_not_stand_for_another_document(
    world: World, in_one_batch: bool
) -> None:
    first, other = _job(), _job(filename="another.pdf")
    if not in_one_batch:
        await submit_documents([first], world.use)

    with pytest.raises(Rejected, match="idempotency_mismatch"):
        await submit_documents([first, other] if in_one_batch else [other], world.use)

    assert other.job_id not in world.ledger.done


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("invoices/2026/a.pdf", "invalid_key"),
        ("../../etc/passwd", "invalid_key"),
        ("https://example.org/a.pdf", "invalid_key"),
        (content_key("0" * 64), "source_missing"),
    ],
)
async def test_a_key_that_names_no_content_is_rejected(
    world: World, key: str, reason: str
) -> None:
    with pytest.raises(Rejected, match=reason):
        await submit_documents([_job(content_key=key)], world.use)

    assert not world.ledger.done


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"<html>", "unsupported_type"), (b"%PDF-" + bytes(64 * 1024), "too_large")],
    ids=["a page", "more than the limit"],
)
async def test_stored_bytes_are_judged_as_an_upload_would_be(
    world: World, data: bytes, reason: str
) -> None:
    key = content_key(sha256(data).hexdigest())
    world.blobs.objects[key] = data

    with pytest.raises(Rejected, match=reason):
        await submit_documents([_job(content_key=key)], world.use)

    assert not world.documents.rows
