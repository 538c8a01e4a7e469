"""Documents handed over by message: the same rules, and a key that is required."""

import asyncio
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256

import pytest

from services.ingest.domain.documents import Claim
from services.ingest.handlers import submit_documents
from shared.blobs.keys import content_key
from shared.bus.jobs import AlreadyHandled, Job
from shared.contracts.answers import SubmissionAnsweredV1
from shared.contracts.body import Priority
from shared.contracts.orders import ExtractDocumentV1, SourceV1, SubmitDocumentV1
from shared.errors import Deferred, Rejected, Retryable
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


def _fetched(**given: object) -> Job[SubmitDocumentV1]:
    source = SourceV1(bucket="scans", key="2026/a.pdf")
    return _job(**({"content_key": None, "source": source} | given))


async def test_what_a_source_holds_is_kept_and_recognised(world: World) -> None:
    world.scans.objects["2026/a.pdf"] = builders.PDF + b"another"

    await submit_documents([_fetched()], world.use)

    [order] = _orders(world)
    assert world.blobs.objects[order.content_key] == builders.PDF + b"another"
    assert (order.media_type, order.size_bytes) == ("application/pdf", len(builders.PDF) + 7)


async def test_the_same_bytes_are_the_same_submission_wherever_they_lie(world: World) -> None:
    world.scans.objects["2026/a.pdf"] = builders.PDF
    await submit_documents([_job()], world.use)

    await submit_documents([_fetched()], world.use)

    assert len(world.documents.rows) == 1


async def test_an_object_that_was_replaced_is_another_document(world: World) -> None:
    world.scans.objects["2026/a.pdf"] = builders.PDF
    await submit_documents([_fetched()], world.use)
    world.scans.objects["2026/a.pdf"] = builders.PDF + b"replaced"

    with pytest.raises(Rejected, match="idempotency_mismatch"):
        await submit_documents([_fetched()], world.use)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"source": SourceV1(bucket="others", key="a.pdf")}, "source_not_allowed"),
        ({"source": SourceV1(bucket="http://x", key="a.pdf")}, "source_not_allowed"),
        ({"source": SourceV1(bucket="scans", key="b.pdf")}, "source_missing"),
        ({"source": SourceV1(bucket="scans", key="../a.pdf")}, "invalid_key"),
        ({"source": SourceV1(bucket="scans", key="page.pdf")}, "unsupported_type"),
        ({"source": SourceV1(bucket="scans", key="empty.pdf")}, "empty"),
        ({"source": SourceV1(bucket="scans", key="large.pdf")}, "too_large"),
    ],
)
async def test_a_source_is_held_to_the_rules_of_an_upload(
    world: World, given: dict[str, object], reason: str
) -> None:
    world.scans.objects |= {
        "page.pdf": b"<html>",
        "empty.pdf": b"",
        "large.pdf": builders.PDF + bytes(64 * 1024),
    }

    with pytest.raises(Rejected, match=reason):
        await submit_documents([_fetched(**given)], world.use)

    assert not world.documents.rows
    assert set(world.blobs.objects) == {builders.CONTENT_KEY}


async def test_a_source_that_is_away_costs_no_attempt(world: World) -> None:
    world.scans.away = True

    with pytest.raises(Deferred, match="away"):
        await submit_documents([_fetched()], world.use)


async def test_a_source_that_never_ends_is_given_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.ingest.handlers.submit.FETCHED_WITHIN_S", 0.01)
    world.scans.objects["2026/a.pdf"] = builders.PDF
    world.scans.flows.clear()

    async with asyncio.timeout(5):
        with pytest.raises(Deferred, match="not whole after"):
            await submit_documents([_fetched()], world.use)


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"tags": ["x" * 65]}, id="a tag that is too long"),
        pytest.param({"tags": [",".join("abcdefghijklmnopqrstu")]}, id="too many tags"),
        pytest.param({"metadata": {"note": "x" * 5000}}, id="too much metadata"),
        pytest.param({"metadata": {"note": "\x00"}}, id="a zero character"),
        pytest.param({"due_at": datetime(9999, 12, 31, tzinfo=UTC)}, id="due at no time"),
        pytest.param({"owner_id": "ac\x00me"}, id="an owner that no database keeps"),
        pytest.param({"idempotency_key": "a\nb"}, id="a key that nobody can type"),
    ],
)
async def test_what_is_said_is_held_to_the_limits_of_an_upload(
    world: World, given: dict[str, object]
) -> None:
    with pytest.raises(Rejected, match="invalid_body"):
        await submit_documents([_fetched(**given)], world.use)

    # Refused before anything was fetched for it.
    assert world.scans.asked == 0


async def test_what_the_sender_says_is_kept_as_over_http(world: World) -> None:
    due_at = datetime(2026, 4, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    job = _job(tags=["march", "urgent, march"], metadata={"b": 1, "a": [None]}, due_at=due_at)

    await submit_documents([job], world.use)

    [kept] = world.documents.rows.values()
    assert list(kept.tags) == ["march", "urgent"]
    assert kept.metadata == {"a": [None], "b": 1}
    assert kept.due_at == datetime(2026, 4, 1, 12, tzinfo=UTC)


async def test_each_of_a_batch_is_answered_for_itself(world: World) -> None:
    jobs = [
        builders.job(builders.submit_document(), reply_to="reply.a"),
        builders.job(builders.submit_document(), reply_to="reply.b"),
        builders.job(builders.submit_document(idempotency_key="order-2")),
    ]

    await submit_documents(jobs, world.use)

    assert [job for job, _ in world.ledger.answered] == jobs[:2]
    said, repeated = [answer for _, answer in world.ledger.answered]
    assert isinstance(said, SubmissionAnsweredV1)
    assert isinstance(repeated, SubmissionAnsweredV1)
    assert said.document_id == repeated.document_id
    assert said.document_id in world.documents.rows
    assert (said.repeated, repeated.repeated) == (False, True)


async def test_a_key_that_expires_meanwhile_is_tried_again_and_never_forgotten(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def found_nothing(*_: object) -> list[Claim]:
        return []

    await submit_documents([_job()], world.use)
    monkeypatch.setattr(world.documents, "find_claims", found_nothing)
    again = _job()

    with pytest.raises(Retryable, match="expired"):
        await submit_documents([again], world.use)

    assert again.job_id not in world.ledger.done
