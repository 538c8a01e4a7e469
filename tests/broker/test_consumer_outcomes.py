"""What becomes of one delivery, for every way a handler can end."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from uuid import uuid4

import pytest

from shared.bus.headers import DEAD_ATTEMPTS, DEAD_CATEGORY, DEAD_EXCEPTION, DEFERRALS, SINCE
from shared.bus.jobs import Job
from shared.contracts.envelope import decode
from shared.contracts.facts import DocumentFailedV1, DocumentWaitingV1
from shared.contracts.identity import new_id
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Deferred, Rejected, Retryable, Withdrawn
from shared.topology.queues import dead_queue
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.broker.messages import headers_of, reason_of
from tests.builders import extract_document
from tests.eventually import eventually

OURS = ("paperline-", "traceparent", "tracestate")
Order = Job[ExtractDocumentV1]


@dataclass(slots=True)
class Hands:
    """A handler that fails as told, then commits one effect."""

    bench: BusBench
    errors: list[Exception] = field(default_factory=list)
    seen: list[Order] = field(default_factory=list)

    async def __call__(self, job: Order) -> None:
        self.seen.append(job)
        if self.errors:
            raise self.errors.pop(0)
        async with self.bench.ledger.handling(job) as unit:
            await self.bench.effects_of(unit)


@pytest.fixture
async def bench(amqp_url: str, database_url: str) -> AsyncIterator[BusBench]:
    async with bus_bench(amqp_url, database_url, work_queue()) as bench:
        yield bench


@pytest.fixture
def hands(bench: BusBench) -> Hands:
    return Hands(bench)


async def test_a_job_that_succeeds_is_done_once_and_leaves_the_queue(hands: Hands) -> None:
    async with hands.bench.consuming_with(one=hands):
        job_id = await hands.bench.submit()
        await eventually(lambda: _has_effects(hands.bench, 1))

    assert await hands.bench.effects() == [job_id]
    assert await hands.bench.is_quiet()


async def test_a_message_doubled_on_the_way_has_one_effect(hands: Hands) -> None:
    job_id = new_id()
    order = extract_document()
    for _ in range(5):
        await hands.bench.submit(order, job_id=job_id)

    async with hands.bench.consuming_with(one=hands):
        await eventually(hands.bench.is_quiet)

    assert await hands.bench.effects() == [job_id]


async def test_a_transient_failure_costs_an_attempt_and_waits_its_turn(hands: Hands) -> None:
    hands.errors = [Retryable("the provider hiccupped")]

    async with hands.bench.consuming_with(one=hands):
        await hands.bench.submit()
        await eventually(lambda: _has_effects(hands.bench, 1))

    assert [job.attempt for job in hands.seen] == [1, 2]
    [waiting] = await hands.bench.outbox(DocumentWaitingV1.type)
    assert waiting.body["reason"] == "the provider hiccupped"


async def test_a_job_that_never_succeeds_is_dead_after_four_attempts(hands: Hands) -> None:
    hands.errors = [Retryable(f"failure {number}") for number in range(9)]

    async with hands.bench.consuming_with(one=hands):
        job_id = await hands.bench.submit()
        letter = await hands.bench.letter()

    assert [job.attempt for job in hands.seen] == [1, 2, 3, 4]
    assert reason_of(letter) == "attempts_exhausted"
    assert headers_of(letter)[DEAD_ATTEMPTS] == "4"
    assert decode(letter.body).header.job_id == job_id


async def test_a_deferral_costs_no_attempt(hands: Hands) -> None:
    hands.errors = [Deferred("breaker open", after_s=0.25) for _ in range(3)]

    async with hands.bench.consuming_with(one=hands):
        await hands.bench.submit()
        await eventually(lambda: _has_effects(hands.bench, 1))

    assert [job.attempt for job in hands.seen] == [1, 1, 1, 1]
    assert [job.headers.get(DEFERRALS) for job in hands.seen] == [None, "1", "2", "3"]
    assert len({job.headers.get(SINCE) for job in hands.seen[1:]}) == 1


async def test_what_is_rejected_dies_at_once_and_fails_its_document(
    hands: Hands,
) -> None:
    hands.errors = [Rejected("encrypted", "a password is needed")]
    order = extract_document()

    async with hands.bench.consuming_with(one=hands):
        await hands.bench.submit(order)
        await eventually(lambda: _outbox_holds(hands.bench, DocumentFailedV1.type))
        [failed] = await hands.bench.outbox(DocumentFailedV1.type)
        letter = await hands.bench.letter()

    assert reason_of(letter) == "encrypted"
    assert failed.body["reason"] == "encrypted"
    assert failed.body["document_id"] == str(order.document_id)


async def test_a_bug_dies_at_once_with_its_exception_and_its_group(hands: Hands) -> None:
    hands.errors = [KeyError("amount")]

    async with hands.bench.consuming_with(one=hands):
        await hands.bench.submit()
        letter = await hands.bench.letter()

    assert reason_of(letter) == "bug"
    assert headers_of(letter)[DEAD_CATEGORY] == "bug"
    assert headers_of(letter)[DEAD_EXCEPTION] == "KeyError"
    assert len(hands.seen) == 1


async def test_what_was_withdrawn_leaves_without_a_trace(hands: Hands) -> None:
    hands.errors = [Withdrawn("cancelled")]

    async with hands.bench.consuming_with(one=hands):
        await hands.bench.submit()
        await eventually(lambda: bool(hands.seen))
        await eventually(hands.bench.is_quiet)

    assert await hands.bench.effects() == []
    assert await hands.bench.outbox() == []


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        pytest.param(b"\xff\xfe not text", "undecodable", id="bytes that are no text"),
        pytest.param(b'{"header": {}}', "undecodable", id="an object without a job id"),
        pytest.param(b"[1, 2]", "undecodable", id="JSON that is no object"),
    ],
)
async def test_what_cannot_be_read_is_kept_byte_for_byte(
    hands: Hands, raw: bytes, reason: str
) -> None:
    async with hands.bench.consuming_with(one=hands):
        await hands.bench.publish(raw)
        letter = await hands.bench.letter()

    assert letter.body == raw
    assert letter.header.properties.content_type == "application/octet-stream"
    assert reason_of(letter) == reason
    assert hands.seen == []


async def test_a_body_that_could_be_read_in_two_ways_is_not_tried_at_all(hands: Hands) -> None:
    raw = _message(ExtractDocumentV1.type, "1.0")
    twice = raw.replace(b'"body": {}', b'"body": {"sha256": "1", "sha256": "2"}')

    async with hands.bench.consuming_with(one=hands):
        await hands.bench.publish(twice)
        letter = await hands.bench.letter()

    assert letter.body == twice
    assert reason_of(letter) == "invalid_body"
    assert hands.seen == []


async def test_an_unknown_type_and_a_wrong_content_type_die_at_once(hands: Hands) -> None:
    async with hands.bench.consuming_with(one=hands):
        await hands.bench.publish(_message("document.shred", "1.0"))
        unknown = await hands.bench.letter()
        await hands.bench.submit(content_type="text/plain")
        mistyped = await hands.bench.letter()

    assert [reason_of(unknown), reason_of(mistyped)] == [
        "unknown_type",
        "unsupported_content_type",
    ]


async def test_a_newer_version_waits_for_somebody_who_knows_it(hands: Hands) -> None:
    async with hands.bench.consuming_with(one=hands):
        await hands.bench.publish(_message("document.extract", "9.0"))
        # 30 s and a little jitter: 120 to 132 units, so on one of these two rungs.
        await eventually(lambda: _rests_on(hands.bench, "delay.06", "delay.07"))

    assert await hands.bench.depth(dead_queue(hands.bench.queue.name)) == 0
    assert hands.seen == []


async def test_the_broker_history_of_a_message_ends_when_it_is_sent_again(
    hands: Hands,
) -> None:
    """A message back from the ladder carries x-death; sent on with it, the next expiry would
    look like a cycle and the broker would drop it."""
    hands.errors = [Deferred("not now", after_s=0.25) for _ in range(2)]
    hands.errors.append(Rejected("encrypted"))

    async with hands.bench.consuming_with(one=hands):
        await hands.bench.submit(headers={"x-tenant": "forged", "paperline-run": "2"})
        letter = await hands.bench.letter()

    assert len(hands.seen) == 3
    assert all(job.run == 2 for job in hands.seen)
    # The dead queue itself counts its deliveries; nothing else of the broker's is left.
    theirs = {name for name in headers_of(letter) if not name.startswith(OURS)}
    assert theirs <= {"x-delivery-count"}


async def test_a_handler_past_its_time_is_cancelled_and_tried_again(
    amqp_url: str, database_url: str
) -> None:
    hurried: list[bool] = []

    async def slow(job: Order) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            hurried.append(job.hurry.is_set())

    queue = work_queue(timeout_s=0.3, attempts_max=2)
    async with (
        bus_bench(amqp_url, database_url, queue) as bench,
        bench.consuming_with(one=slow),
    ):
        await bench.submit()
        letter = await bench.letter()

    assert reason_of(letter) == "attempts_exhausted"
    assert hurried == [True, True]


def _message(type_: str, version: str) -> bytes:
    header = {"job_id": str(uuid4()), "type": type_, "version": version, "attempt": 1}
    header["created_at"] = "2026-01-01T00:00:00Z"
    return json.dumps({"header": header, "body": {}}).encode()


async def _has_effects(bench: BusBench, count: int) -> bool:
    return len(await bench.effects()) >= count


async def _outbox_holds(bench: BusBench, type_: str) -> bool:
    return bool(await bench.outbox(type_))


async def _rests_on(bench: BusBench, *rungs: str) -> bool:
    return any([await bench.depth(rung) for rung in rungs])
