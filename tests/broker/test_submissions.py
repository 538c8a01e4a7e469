"""Documents handed in by message, seen from the sender: one document, and an honest answer."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from aiormq.abc import AbstractChannel, DeliveredMessage
from pamqp.commands import Basic

from shared.bus.headers import DEAD_REASON, REPLY_TO
from shared.contracts.answers import SubmissionAnsweredV1
from shared.contracts.body import Priority
from shared.contracts.envelope import decode, encode
from shared.contracts.identity import new_id
from shared.contracts.orders import SourceV1, SubmitDocumentV1
from shared.publishing import Submitter
from shared.topology.queues import INGEST, SUBMIT, dead_queue
from tests import builders
from tests.broker.ingest_process import Outside, outside
from tests.broker.messages import headers_of, raw_channel
from tests.broker.workers import dies
from tests.eventually import eventually
from tests.fakes.clock import NOON

KILLED_AT = [
    pytest.param("consumer.before_handler", id="before its handler"),
    pytest.param("ingest.before_commit", id="with the bytes kept, before the commit"),
    pytest.param("unit.before_commit", id="at the commit"),
    pytest.param("ingest.after_commit", id="after the commit"),
    pytest.param("consumer.before_ack", id="before the acknowledgement"),
    pytest.param("relay.published", id="with the answer published, before it is struck off"),
]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Outside]:
    async with outside(tmp_path) as world:
        yield world


def _from_scans(key: str, **given: object) -> SubmitDocumentV1:
    return builders.submit_document(
        content_key=None, source=SourceV1(bucket="scans", key=key), **given
    )


class Sender:
    """A program in any language: AMQP and nothing else."""

    def __init__(self, channel: AbstractChannel, reply_to: str) -> None:
        self.channel = channel
        self.reply_to = reply_to
        self.heard: list[DeliveredMessage] = []

    async def publish(self, raw: bytes, **properties: Any) -> None:  # noqa: ANN401
        given = {"content_type": "application/json", "delivery_mode": 2, **properties}
        await self.channel.basic_publish(
            raw,
            exchange=INGEST,
            routing_key=SubmitDocumentV1.type,
            properties=Basic.Properties(**given),
        )

    async def submit(self, body: SubmitDocumentV1, **properties: Any) -> UUID:  # noqa: ANN401
        job_id = new_id()
        asks = {"reply_to": self.reply_to, "correlation_id": "mine-1"}
        raw = encode(body, job_id=job_id, created_at=NOON, traceparent=None)
        await self.publish(raw, **(asks | properties))
        return job_id

    async def hears(self, count: int = 1) -> list[SubmissionAnsweredV1]:
        await eventually(lambda: len(self.heard) >= count, within_s=20)
        return [
            SubmissionAnsweredV1.model_validate(decode(one.body).body) for one in self.heard
        ]


@pytest.fixture
async def sender(world: Outside) -> AsyncIterator[Sender]:
    async with raw_channel(world.amqp_url) as channel:
        declared = await channel.queue_declare(exclusive=True, auto_delete=True)
        sender = Sender(channel, declared.queue or "")

        async def arrived(message: DeliveredMessage) -> None:
            sender.heard.append(message)

        await channel.basic_consume(sender.reply_to, arrived, no_ack=True)
        yield sender


async def test_a_submission_is_answered_with_its_document(
    world: Outside, sender: Sender
) -> None:
    await world.keep(builders.PDF)
    async with world.ingest():
        job_id = await sender.submit(
            builders.submit_document(
                priority=Priority.URGENT, tags=["march"], metadata={"cost_centre": 7}
            )
        )
        [answer] = await sender.hears()

    [document] = await world.documents()
    assert (answer.outcome, answer.repeated) == ("accepted", False)
    assert (answer.document_id, answer.cause_id) == (document["document_id"], job_id)
    assert answer.links["status"] == f"/v1/documents/{document['document_id']}/status"
    assert (document["priority"], document["tags"]) == (5, ["march"])
    [heard] = sender.heard
    assert heard.header.properties.correlation_id == "mine-1"
    assert heard.header.properties.message_type == "submission.answered"


async def test_the_same_document_twice_is_told_which_it_was(world: Outside) -> None:
    await world.keep(builders.PDF)
    async with world.ingest(), Submitter(world.amqp_url) as submitter:
        first = await submitter.submit(builders.submit_document())
        again = await submitter.submit(builders.submit_document())

    assert again.document_id == first.document_id
    assert (first.repeated, again.repeated) == (False, True)
    assert len(await world.documents()) == 1


async def test_a_refusal_is_answered_and_dead_and_can_be_replayed(world: Outside) -> None:
    submission = _from_scans("2026/late.pdf")
    async with world.ingest(), Submitter(world.amqp_url) as submitter:
        refused = await submitter.submit(submission)
        letter = await world.letter()
        (world.scans / "2026").mkdir()
        (world.scans / "2026/late.pdf").write_bytes(builders.PDF)
        await world.replay(letter)
        await eventually(world.documents, within_s=20)

    assert (refused.outcome, refused.reason) == ("rejected", "source_missing")
    assert refused.detail == "2026/late.pdf"
    assert headers_of(letter)[DEAD_REASON] == "source_missing"
    [document] = await world.documents()
    assert document["sha256"] == builders.SHA256


async def test_a_replay_answers_whoever_still_waits(world: Outside, sender: Sender) -> None:
    async with world.ingest():
        job_id = await sender.submit(builders.submit_document())
        letter = await world.letter()
        await world.keep(builders.PDF)
        await world.replay(letter)
        refused, accepted = await sender.hears(2)

    assert [refused.outcome, accepted.outcome] == ["rejected", "accepted"]
    assert {refused.cause_id, accepted.cause_id} == {job_id}
    ids = [one.header.properties.correlation_id for one in sender.heard]
    assert ids == ["mine-1", "mine-1"]


async def test_a_submission_that_had_to_wait_is_answered_all_the_same(
    world: Outside, sender: Sender
) -> None:
    # Its folder is not there yet, as a share that is not mounted.
    world.scans.rmdir()
    (world.folder / "elsewhere").mkdir()
    (world.folder / "elsewhere/a.pdf").write_bytes(builders.PDF)
    async with world.ingest():
        await sender.submit(_from_scans("a.pdf"))
        await eventually(lambda: _rests(world), within_s=20)
        (world.folder / "elsewhere").rename(world.scans)
        [answer] = await sender.hears()

    assert answer.outcome == "accepted"


@pytest.mark.parametrize(
    "raw",
    [b"\xff\xfe", b"[]", b'{"header": {}, "body": {}}'],
    ids=["no text", "no envelope", "no job id"],
)
async def test_what_cannot_be_read_is_kept_and_answered(
    world: Outside, sender: Sender, raw: bytes
) -> None:
    async with world.ingest():
        await sender.publish(raw, reply_to=sender.reply_to, correlation_id="mine-2")
        [answer] = await sender.hears()
        letter = await world.letter()

    assert (answer.outcome, answer.reason) == ("rejected", "undecodable")
    assert answer.cause_id is None
    assert sender.heard[0].header.properties.correlation_id == "mine-2"
    assert letter.body == raw


@pytest.mark.parametrize(
    "reply_to",
    [
        pytest.param("extractor.extract", id="a work queue"),
        pytest.param("ingest.submit.dead", id="a dead queue"),
        pytest.param("delay.15", id="a rung"),
        pytest.param("amq.rabbitmq.reply-to", id="direct reply-to"),
        pytest.param("amq.rabbitmq.reply-to.abc.def", id="a forged token"),
    ],
)
async def test_a_reply_address_reaches_no_queue_of_ours(
    world: Outside, sender: Sender, reply_to: str
) -> None:
    await world.keep(builders.PDF)

    async with world.ingest():
        if reply_to == "amq.rabbitmq.reply-to":
            # The broker wants to see somebody listen before it believes in this name.
            await sender.channel.basic_consume(reply_to, _ignore, no_ack=True)
        await sender.submit(builders.submit_document(), reply_to=reply_to)
        letter = await world.letter()
        await eventually(world.is_quiet, within_s=20)

    headers = headers_of(letter)
    assert headers[DEAD_REASON] == "invalid_reply_to"
    # A replay would find no address, and be accepted without an answer.
    assert REPLY_TO not in headers
    assert await world.depth("extractor.extract") == 0
    assert not sender.heard


async def test_an_answer_for_somebody_who_left_is_dropped_and_holds_up_nobody(
    world: Outside, sender: Sender
) -> None:
    await world.keep(builders.PDF)
    async with world.ingest():
        await sender.submit(builders.submit_document(), reply_to="reply.of.nobody")
        await sender.submit(builders.submit_document(idempotency_key="order-2"))
        await sender.hears()
        await eventually(world.is_quiet, within_s=20)

    assert len(await world.documents()) == 2
    assert await world.pool.fetchval("SELECT count(*) FROM outbox_parked") == 0
    assert await world.pool.fetchval("SELECT count(*) FROM outbox_later") == 0


@pytest.mark.parametrize("step", KILLED_AT)
async def test_killed_at_any_step_it_is_one_document_and_is_answered(
    world: Outside, sender: Sender, step: str
) -> None:
    (world.scans / "a.pdf").write_bytes(builders.PDF)
    job_id = await sender.submit(_from_scans("a.pdf"))

    async with world.ingest(failpoint=f"{step}:kill") as process:
        await dies(process, within_s=30)
    async with world.ingest():
        answers = await sender.hears()
        await eventually(world.is_quiet, within_s=20)

    [document] = await world.documents()
    assert {one.document_id for one in answers} == {document["document_id"]}
    assert {one.cause_id for one in answers} == {job_id}
    assert await world.depth(dead_queue(SUBMIT.name)) == 0


async def test_killed_with_a_refusal_in_hand_the_letter_is_one_and_the_answer_is_given(
    world: Outside, sender: Sender
) -> None:
    await sender.submit(builders.submit_document())

    async with world.ingest(failpoint="consumer.buried:kill") as process:
        await dies(process, within_s=30)
    async with world.ingest():
        answers = await sender.hears()
        await world.letter()
        await eventually(world.is_quiet, within_s=20)

    assert {one.reason for one in answers} == {"source_missing"}
    assert await world.depth(dead_queue(SUBMIT.name)) == 0


async def _ignore(_: DeliveredMessage) -> None:
    """Nothing may arrive here."""


async def _rests(world: Outside) -> bool:
    rungs = await asyncio.gather(*(world.depth(f"delay.{level:02d}") for level in range(16)))
    return sum(rungs) > 0
