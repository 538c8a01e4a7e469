"""One delivery from its arrival to its settlement, with everything around it made of fakes."""

import asyncio

import pytest

from shared.bus.decision import DeadLetter, Decision, Done, Wait
from shared.bus.headers import DEFERRALS, RUN, SINCE
from shared.bus.jobs import AlreadyHandled
from shared.bus.publisher import Outcome
from shared.contracts.identity import new_id
from shared.errors import Deferred, Rejected, Retryable, Withdrawn
from shared.failpoints import arm, disarm
from shared.topology.queues import EXTRACT, STATUS
from tests.builders import cancelled, started
from tests.eventually import eventually
from tests.fakes.clock import NOON
from tests.fakes.deliveries import delivery, envelope, raw_with
from tests.fakes.desk import DeskWorld

POSTGRES_AWAY = Retryable("connection refused", dependency="postgres")


@pytest.fixture
def world() -> DeskWorld:
    return DeskWorld()


async def test_a_job_that_succeeds_is_done(world: DeskWorld) -> None:
    assert await world.deliver() == Done()

    assert len(world.seen) == 1
    assert world.record.outbox == []


@pytest.mark.parametrize(
    ("error", "decision"),
    [
        pytest.param(AlreadyHandled(), Done("already_applied"), id="it lost the race"),
        pytest.param(Withdrawn(), Done("withdrawn"), id="nobody wants it any more"),
        pytest.param(
            Rejected("encrypted"), DeadLetter("encrypted", "rejected"), id="it never works"
        ),
        pytest.param(KeyError("total"), DeadLetter("bug", "bug"), id="it has a bug"),
        pytest.param(
            ExceptionGroup("both", [ValueError("a")]), DeadLetter("bug", "bug"), id="it has two"
        ),
    ],
)
async def test_what_a_handler_raises_becomes_a_decision(
    world: DeskWorld, error: Exception, decision: Decision
) -> None:
    world.error = error

    assert await world.deliver() == decision


async def test_a_retry_waits_for_its_backoff_and_up_to_half_more(
    world: DeskWorld,
) -> None:
    world.error = Retryable("503")

    decision = await world.deliver()

    assert isinstance(decision, Wait)
    assert 10 <= decision.delay_s <= 15
    assert decision.attempt == 2


async def test_a_copy_of_what_is_done_never_reaches_the_handler(world: DeskWorld) -> None:
    raw = envelope(job_id=new_id())
    await world.deliver(raw=raw)

    assert await world.deliver(raw=raw) == Done("already_applied")

    assert len(world.seen) == 1


async def test_a_replay_of_what_failed_reaches_the_handler_again(world: DeskWorld) -> None:
    raw = envelope(job_id=new_id())
    world.error = Rejected("encrypted")
    await world.deliver(raw=raw)
    world.error = None

    same_run = await world.deliver(raw=raw)
    next_run = await world.deliver(raw=raw, headers={RUN: "1"})

    assert (same_run, next_run) == (Done("already_applied"), Done())
    assert [job.run for job in world.seen] == [0, 1]


async def test_a_queue_without_an_inbox_does_every_copy() -> None:
    world = DeskWorld(STATUS)
    raw = envelope(started(), job_id=new_id())
    for _ in range(3):
        assert await world.deliver(raw=raw) == Done()

    assert len(world.seen) == 3


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        pytest.param(
            raw_with({"type": "document.shred"}), "unknown_type", id="an unknown type"
        ),
        pytest.param(raw_with(), "invalid_body", id="a body without its fields"),
        pytest.param(envelope(cancelled()), "unknown_type", id="a type for another queue"),
    ],
)
async def test_what_is_not_for_us_dies_without_a_handler(
    world: DeskWorld, raw: bytes, reason: str
) -> None:
    assert await world.deliver(raw=raw) == DeadLetter(reason, "rejected")

    assert world.seen == []
    assert world.reasons == [reason]


async def test_what_nobody_can_read_is_sent_to_the_dead_at_once(world: DeskWorld) -> None:
    assert await world.deliver(raw=b"\x00") == DeadLetter("undecodable", "undecodable")

    [letter] = world.publisher.published
    assert (letter.exchange, letter.body) == ("dead", b"\x00")


@pytest.mark.parametrize(
    "since",
    ["2020-01-01T00:00:00+00:00", "2020-01-01T00:00:00Z"],
    ids=["with an offset", "with a letter"],
)
async def test_patience_is_counted_from_the_first_wait(world: DeskWorld, since: str) -> None:
    world.error = Deferred("busy", after_s=1)

    assert await world.deliver(headers={SINCE: since}) == DeadLetter("expired", "expired")


@pytest.mark.parametrize("since", ["yesterday", "", "2020-01-01T00:00:00", "\x00"])
async def test_a_date_that_is_none_of_ours_means_now(world: DeskWorld, since: str) -> None:
    world.error = Deferred("busy", after_s=1)

    assert isinstance(await world.deliver(headers={SINCE: since}), Wait)


async def test_deferrals_are_counted_from_the_message_and_not_in_the_process(
    world: DeskWorld,
) -> None:
    world.error = Deferred("busy", after_s=1)

    decision = await world.deliver(headers={DEFERRALS: "4", SINCE: NOON.isoformat()})

    assert isinstance(decision, Wait)
    assert decision.deferrals == 5
    assert decision.delay_s >= 1.5**4


async def test_a_dependency_that_is_away_pauses_the_queue(world: DeskWorld) -> None:
    world.error = Retryable("503 from the store", dependency="blobs")

    decision = await world.deliver()

    assert isinstance(decision, Wait)
    assert decision.attempt == 1
    [asked] = world.board.asked
    assert (asked.queue, asked.reason, asked.detail) == (
        "extractor.extract",
        "blobs_away",
        "503 from the store",
    )


async def test_an_inbox_that_cannot_be_asked_pauses_the_queue(world: DeskWorld) -> None:
    world.record.away = POSTGRES_AWAY

    decision = await world.deliver()

    assert isinstance(decision, Wait)
    assert world.seen == []
    assert [asked.reason for asked in world.board.asked] == ["postgres_away"]


async def test_too_many_bugs_stop_the_queue(world: DeskWorld) -> None:
    world.error = KeyError("total")
    for _ in range(10):
        await world.deliver()

    assert {asked.reason for asked in world.board.asked} == {"protective_stop"}
    assert world.board.asked[0].detail == "10 of the last 10 deliveries died"


async def test_bad_documents_do_not_stop_the_queue(world: DeskWorld) -> None:
    world.error = Rejected("encrypted")
    for _ in range(30):
        await world.deliver()

    assert world.board.asked == []


async def test_what_cannot_be_settled_is_given_back_to_the_broker(
    world: DeskWorld,
) -> None:
    world.error = Retryable("503")
    world.publisher.outcomes.append(Outcome.UNKNOWN)

    assert await world.deliver() is None
    assert world.given_back == 1


async def test_a_letter_that_cannot_be_written_is_given_back(world: DeskWorld) -> None:
    world.error = Rejected("encrypted")
    arrived = delivery(EXTRACT)
    world.blocks.clear()
    handling = asyncio.ensure_future(world.deliver(arrived))
    await eventually(lambda: world.seen)

    world.record.away = POSTGRES_AWAY
    world.blocks.set()

    assert await handling is None
    assert world.given_back == 1


async def test_a_failpoint_in_the_handler_is_decided_like_a_bug(world: DeskWorld) -> None:
    arm("consumer.before_handler:raise")
    try:
        assert await world.deliver() == DeadLetter("bug", "bug")
    finally:
        disarm()


async def test_a_task_that_dies_gives_everything_back(world: DeskWorld) -> None:
    async def dies() -> None:
        raise RuntimeError("nobody thought of this")

    task = asyncio.ensure_future(dies())
    await asyncio.wait({task})

    world.desk.look_after(task)

    assert world.given_back == 1
