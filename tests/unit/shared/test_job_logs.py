"""What a job had to say is kept beside its document, and nothing of it can fail the job."""

import logging
from collections.abc import Iterator

import pytest

from shared.bus.jobs import Job
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Deferred, Rejected, Retryable, Withdrawn
from shared.observability.logging import configure_logging
from shared.process.job_logs import with_log
from tests import builders
from tests.fakes.blobs import InMemoryBlobs

log = logging.getLogger(__name__)


@pytest.fixture(autouse=True)
def configured() -> Iterator[None]:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    configure_logging("extractor")
    yield
    root.handlers[:] = before
    root.setLevel(level)


def job() -> Job[ExtractDocumentV1]:
    return builders.job(builders.extract_document())


def key_of(one: Job[ExtractDocumentV1]) -> str:
    return f"logs/{one.body.document_id}/{one.job_id}.{one.run}.{one.attempt}.log"


async def said(one: Job[ExtractDocumentV1]) -> None:
    log.info("document_read", extra={"pages": 3})


async def test_what_a_job_said_is_kept_beside_its_document() -> None:
    blobs, one = InMemoryBlobs(), job()

    await with_log(said, blobs)(one)

    kept = blobs.objects[key_of(one)].decode()
    assert '"event":"document_read"' in kept and '"pages":3' in kept


async def test_a_job_that_said_nothing_leaves_no_log() -> None:
    async def silent(one: Job[ExtractDocumentV1]) -> None:
        log.debug("not_for_people")

    blobs = InMemoryBlobs()

    await with_log(silent, blobs)(job())

    assert not blobs.objects


@pytest.mark.parametrize("error", [Rejected("unreadable", "no PDF"), Retryable("away")])
async def test_a_failure_is_kept_with_its_stack_and_goes_on(error: Exception) -> None:
    async def failing(one: Job[ExtractDocumentV1]) -> None:
        raise error

    blobs, one = InMemoryBlobs(), job()

    with pytest.raises(type(error)):
        await with_log(failing, blobs)(one)

    assert "in failing" in blobs.objects[key_of(one)].decode()


@pytest.mark.parametrize("error", [Deferred("busy", after_s=1), Withdrawn()])
async def test_waiting_for_ones_turn_leaves_no_log(error: Exception) -> None:
    async def waiting(one: Job[ExtractDocumentV1]) -> None:
        await said(one)
        raise error

    blobs = InMemoryBlobs()

    with pytest.raises(type(error)):
        await with_log(waiting, blobs)(job())

    assert not blobs.objects


async def test_lines_of_another_job_are_not_among_them() -> None:
    blobs, one, other = InMemoryBlobs(), job(), job()

    await with_log(said, blobs)(one)
    log.info("nobody_is_asked")
    await with_log(said, blobs)(other)

    assert all(raw.count(b"\n") == 1 for raw in blobs.objects.values())
    assert set(blobs.objects) == {key_of(one), key_of(other)}


class FullDisk(InMemoryBlobs):
    async def put(self, key: str, data: bytes, *, durable: bool = True) -> None:
        raise Retryable("no space left")


async def test_a_log_that_cannot_be_kept_fails_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    await with_log(said, FullDisk())(job())

    assert [one.getMessage() for one in caplog.records] == ["document_read", "job_log_not_kept"]
