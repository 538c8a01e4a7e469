"""A decision is carried out before the delivery is acknowledged, and completely."""

import json
from datetime import timedelta
from uuid import uuid4

import pytest

from shared.bus.decision import DeadLetter, Done, Wait
from shared.bus.delivery import Delivery
from shared.bus.frames import Outgoing
from shared.bus.headers import (
    DEAD_ATTEMPTS,
    DEAD_FIRST_AT,
    DEAD_MESSAGE,
    DEAD_REASON,
    DEFERRALS,
    REPLAY,
    RUN,
    SINCE,
)
from shared.bus.publisher import Outcome, Unroutable
from shared.bus.settling import Settler
from shared.contracts.body import Body
from shared.contracts.envelope import decode, open_body
from shared.contracts.facts import DocumentFailedV1, DocumentWaitingV1, ReplaySettledV1
from shared.errors import Rejected, Retryable
from shared.ledger.rows import OutboxRow
from shared.topology.ladder import rest
from shared.topology.queues import EXTRACT, REVIEW, STATUS, WorkQueue
from tests.builders import extract_document, open_review, started
from tests.fakes.bus import FakePublisher, InMemoryJobRecord
from tests.fakes.clock import NOON, FakeClock
from tests.fakes.deliveries import delivery, envelope

AWAY = Retryable("connection refused", dependency="postgres")
ENCRYPTED = DeadLetter("encrypted", "rejected")


class World:
    def __init__(self, queue: WorkQueue = EXTRACT) -> None:
        self.clock = FakeClock()
        self.publisher = FakePublisher()
        self.record = InMemoryJobRecord(self.clock)
        self.settler = Settler(queue, self.publisher, self.record)

    async def carry_out(
        self,
        arrived: Delivery,
        decision: Done | Wait | DeadLetter,
        error: Exception | None = None,
    ) -> None:
        await self.settler.carry_out(arrived, decision, error)

    @property
    def sent_on(self) -> Outgoing:
        [message] = self.publisher.published
        return message

    @property
    def facts(self) -> list[Body]:
        return [
            open_body(decode(row.body))
            for row in self.record.outbox
            if row.exchange == "events"
        ]

    @property
    def letter(self) -> OutboxRow:
        [row] = [row for row in self.record.outbox if row.exchange == "dead"]
        return row


@pytest.fixture
def world() -> World:
    return World()


async def test_what_is_done_leaves_nothing_to_send(world: World) -> None:
    # Not even of a replay: that has said so in its own commit.
    await world.carry_out(delivery(EXTRACT, headers={REPLAY: str(uuid4())}), Done())

    assert world.publisher.published == []
    assert world.record.outbox == []


@pytest.mark.parametrize("outcome", ["already_applied", "withdrawn"])
async def test_a_replay_that_had_nothing_to_commit_is_settled_here(
    world: World, outcome: str
) -> None:
    replay_id = uuid4()
    arrived = delivery(EXTRACT, headers={REPLAY: str(replay_id), RUN: "2"})

    await world.carry_out(arrived, Done(outcome))

    [settled] = world.facts
    assert isinstance(settled, ReplaySettledV1)
    assert (settled.replay_id, settled.outcome, settled.run) == (replay_id, outcome, 2)
    assert settled.job_id == arrived.job_id


async def test_a_replay_on_a_queue_without_marks_is_settled_here_too() -> None:
    world = World(STATUS)
    arrived = delivery(STATUS, envelope(started()), headers={REPLAY: str(uuid4())})

    await world.carry_out(arrived, Done())

    assert [fact.type for fact in world.facts] == [ReplaySettledV1.type]


async def test_a_stranger_cannot_settle_a_replay_with_a_word(world: World) -> None:
    await world.carry_out(delivery(EXTRACT, headers={REPLAY: "mine"}), Done("withdrawn"))

    assert world.facts == []


async def test_a_wait_goes_to_the_rung_of_its_delay_with_its_new_attempt(world: World) -> None:
    arrived = delivery(EXTRACT, envelope(attempt=1), priority=5)

    await world.carry_out(arrived, Wait(10.0, 2, 0, "503"))

    to = rest(10.0, "extractor.extract")
    assert (world.sent_on.exchange, world.sent_on.routing_key) == (to.exchange, to.routing_key)
    assert decode(world.sent_on.body).header.attempt == 2
    assert (world.sent_on.priority, world.sent_on.type) == (5, "document.extract")
    # A crash between this and the acknowledgement must find the same job again.
    assert decode(world.sent_on.body).header.job_id == arrived.job_id


async def test_a_first_failure_is_dated_and_a_later_one_keeps_the_date(world: World) -> None:
    await world.carry_out(delivery(EXTRACT), Wait(10.0, 2, 0, "503"))
    world.clock.advance(60)
    again = delivery(EXTRACT, world.sent_on.body, headers=world.sent_on.headers)
    world.publisher.published.clear()

    await world.carry_out(again, Wait(20.0, 3, 0, "503"))

    # And a plain retry does not start the clock of patience.
    assert world.sent_on.headers == {DEAD_FIRST_AT: NOON.isoformat()}


async def test_a_deferral_is_counted_and_dated_from_the_first(world: World) -> None:
    await world.carry_out(delivery(EXTRACT), Wait(30.0, 1, 1, "breaker open"))
    first = world.sent_on
    world.clock.advance(30)
    world.publisher.published.clear()

    again = delivery(EXTRACT, first.body, headers=first.headers)
    await world.carry_out(again, Wait(45.0, 1, 2, "breaker open"))

    assert (first.headers[DEFERRALS], first.headers[SINCE]) == ("1", NOON.isoformat())
    assert world.sent_on.headers == {DEFERRALS: "2", SINCE: NOON.isoformat()}


async def test_what_waits_takes_its_run_replay_and_trace_along_and_no_more(
    world: World,
) -> None:
    ours = {RUN: "1", REPLAY: str(uuid4()), "traceparent": "00-" + "a" * 32 + "-" + "b" * 16}
    foreign = {"x-death": [{"queue": "delay.03"}], "CC": ["ingest.submit"], "x-opt": 1}

    await world.carry_out(delivery(EXTRACT, headers=ours | foreign), Wait(10.0, 1, 1, "busy"))

    assert set(world.sent_on.headers) == {*ours, DEFERRALS, SINCE}


async def test_a_longer_wait_than_the_ladder_holds_is_kept_for_later(world: World) -> None:
    await world.carry_out(delivery(EXTRACT), Wait(10**6, 2, 0, "quota"))

    [(after_s, row)] = world.record.later
    assert (after_s, row.routing_key) == (10**6, EXTRACT.name)
    assert decode(row.body).header.attempt == 2


async def test_a_person_is_told_what_the_document_waits_for(world: World) -> None:
    order = extract_document()

    await world.carry_out(delivery(EXTRACT, envelope(order)), Wait(40.0, 2, 0, "rate limit"))

    [told] = world.facts
    assert isinstance(told, DocumentWaitingV1)
    assert (told.document_id, told.reason) == (order.document_id, "rate limit")
    assert told.until == NOON + timedelta(seconds=40)


async def test_a_wait_that_cannot_be_told_is_waited_all_the_same(world: World) -> None:
    world.record.away = AWAY

    await world.carry_out(delivery(EXTRACT), Wait(10.0, 2, 0, "503"))

    assert world.sent_on.exchange.startswith("delay.")


async def test_while_the_database_is_away_nobody_asks_it_to_tell_of_a_wait(
    world: World,
) -> None:
    await world.carry_out(delivery(EXTRACT), Wait(1.0, 1, 1, "away", pause="postgres"))

    assert world.facts == []
    assert world.sent_on.exchange == "delay.02"


async def test_a_queue_behind_the_result_waits_in_silence() -> None:
    world = World(REVIEW)

    await world.carry_out(delivery(REVIEW, envelope(open_review())), Wait(10.0, 2, 0, "503"))

    assert world.facts == []


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (Outcome.REFUSED, Retryable),
        (Outcome.UNKNOWN, Retryable),
        (Outcome.RETURNED, Unroutable),
    ],
)
async def test_a_wait_that_was_not_confirmed_is_not_settled(
    world: World, outcome: Outcome, error: type[Exception]
) -> None:
    world.publisher.outcomes.append(outcome)

    with pytest.raises(error):
        await world.carry_out(delivery(EXTRACT), Wait(10.0, 2, 0, "503"))


async def test_a_final_failure_is_a_mark_a_letter_and_a_fact(world: World) -> None:
    order = extract_document()
    arrived = delivery(EXTRACT, envelope(order, attempt=2), headers={RUN: "1"}, priority=4)

    await world.carry_out(arrived, ENCRYPTED, Rejected("encrypted", "a password is needed"))

    assert world.publisher.published == []
    assert arrived.job is not None
    assert await world.record.is_finished(EXTRACT, arrived.job)
    assert (world.letter.routing_key, world.letter.priority) == ("extractor.extract", 4)
    assert world.letter.body == arrived.raw
    assert world.letter.headers[DEAD_REASON] == "encrypted"
    assert world.letter.headers[DEAD_ATTEMPTS] == "2"
    assert world.letter.headers[RUN] == "1"
    [failed] = world.facts
    assert isinstance(failed, DocumentFailedV1)
    assert (failed.document_id, failed.reason) == (order.document_id, "encrypted")
    assert failed.cause_id == arrived.job_id
    assert {row.headers[RUN] for row in world.record.outbox} == {"1"}


async def test_what_was_finished_meanwhile_is_not_buried(world: World) -> None:
    arrived = delivery(EXTRACT)
    assert arrived.job is not None
    world.record.mark_done(EXTRACT, arrived.job)

    await world.carry_out(arrived, ENCRYPTED)

    assert world.record.outbox == []


async def test_a_burial_that_fails_is_not_settled(world: World) -> None:
    world.record.away = AWAY

    with pytest.raises(Retryable):
        await world.carry_out(delivery(EXTRACT), ENCRYPTED)


async def test_a_queue_without_an_inbox_buries_what_comes_again_once() -> None:
    world = World(STATUS)
    raw = envelope(started())

    for _ in range(2):
        await world.carry_out(delivery(STATUS, raw), DeadLetter("bug", "bug"))

    assert world.letter.routing_key == "ingest.status"
    assert world.facts == []


async def test_what_nobody_can_read_is_kept_byte_for_byte(world: World) -> None:
    raw = b"\xff\xfe\x00 not an envelope"
    arrived = delivery(EXTRACT, raw, content_type="text/weird", headers={"x-death": "forged"})

    await world.carry_out(arrived, DeadLetter("undecodable", "undecodable"), arrived.error)

    assert world.sent_on.body == raw
    assert (world.sent_on.exchange, world.sent_on.routing_key) == ("dead", "extractor.extract")
    assert world.sent_on.content_type == "application/octet-stream"
    assert world.sent_on.headers[DEAD_REASON] == "undecodable"
    assert "x-death" not in world.sent_on.headers
    assert world.record.outbox == []


@pytest.mark.parametrize("text", ["NUL \x00", "half \ud800", "long " * 10_000])
async def test_any_message_of_an_error_makes_a_letter_that_can_be_sent(
    world: World, text: str
) -> None:
    # The relay stops at a row that it cannot encode, and so does everything behind it.
    await world.carry_out(delivery(EXTRACT), ENCRYPTED, Rejected("encrypted", text))

    for row in world.record.outbox:
        b"".join(value.encode() for value in row.headers.values())
        assert len(json.dumps(row.headers)) < 64 * 1024
    assert world.letter.headers[DEAD_MESSAGE].startswith("encrypted: ")
