"""A replayed dead letter: applied once, whatever happened to the job before and meanwhile."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID, uuid4

import pytest
from aiormq.abc import DeliveredMessage

from shared.bus.headers import DEAD_HEADERS, REPLAY, RUN
from shared.bus.jobs import Job
from shared.contracts.envelope import decode
from shared.contracts.facts import DocumentFailedV1, ReplaySettledV1
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Rejected, Withdrawn
from shared.ledger.port import Resend
from tests.broker.bus_bench import bus_bench, work_queue
from tests.broker.hands import Hands
from tests.broker.messages import headers_of, reason_of
from tests.eventually import eventually


@pytest.fixture
async def hands(amqp_url: str, database_url: str) -> AsyncIterator[Hands]:
    async with bus_bench(amqp_url, database_url, work_queue()) as bench:
        yield Hands(bench)


async def test_what_had_failed_for_good_is_done_by_its_replay(hands: Hands) -> None:
    async with hands.bench.consuming_with(one=hands):
        letter = await died(hands)
        replay_id = await replayed(hands, letter)
        await eventually(lambda: _effects(hands, 1))

    assert await settled(hands) == {str(replay_id): "done"}


async def test_the_replayed_message_is_the_one_that_failed_on_its_first_attempt(
    hands: Hands,
) -> None:
    async with hands.bench.consuming_with(one=hands):
        letter = await died(hands)
        await replayed(hands, letter)
        await eventually(lambda: _effects(hands, 1))

    first, again = hands.seen
    assert (again.job_id, again.body) == (first.job_id, first.body)
    assert (again.attempt, again.run) == (1, 1)
    assert not DEAD_HEADERS & set(again.headers)
    assert {RUN, REPLAY} <= set(again.headers)


async def test_replayed_twice_it_is_applied_once(hands: Hands) -> None:
    async with hands.bench.consuming_with(one=hands):
        letter = await died(hands)
        replays = [await replayed(hands, letter), await replayed(hands, letter)]
        await eventually(lambda: _settled(hands, 2))

    outcomes = await settled(hands)
    assert sorted(outcomes[str(one)] for one in replays) == ["already_applied", "done"]
    assert len(await hands.bench.effects()) == 1


async def test_a_replay_of_what_is_done_does_nothing_and_says_so(hands: Hands) -> None:
    bench = hands.bench
    async with bench.consuming_with(one=hands):
        letter = await died(hands)
        await replayed(hands, letter)
        await eventually(lambda: _effects(hands, 1))
        late = await replayed(hands, letter, run=2)
        await eventually(lambda: _settled(hands, 2))

    assert (await settled(hands))[str(late)] == "already_applied"
    assert len(await bench.effects()) == 1


async def test_a_replay_of_what_was_withdrawn_says_so(hands: Hands) -> None:
    async with hands.bench.consuming_with(one=hands):
        letter = await died(hands)
        hands.error = Withdrawn("deleted")
        replay_id = await replayed(hands, letter)
        await eventually(lambda: _settled(hands, 1))

    assert await settled(hands) == {str(replay_id): "withdrawn"}


async def test_a_replay_that_fails_again_is_a_letter_of_its_run(hands: Hands) -> None:
    async with hands.bench.consuming_with(one=hands):
        letter = await died(hands)
        hands.error = Rejected("still_unreadable")
        replay_id = await replayed(hands, letter)
        again = await hands.bench.letter()

    assert reason_of(again) == "still_unreadable"
    assert headers_of(again)[REPLAY] == str(replay_id)
    assert headers_of(again)[RUN] == "1"
    assert decode(again.body).header.job_id == decode(letter.body).header.job_id
    failed = await hands.bench.outbox(DocumentFailedV1.type)
    assert len(failed) == 2


@pytest.mark.parametrize("size", [{"slots": 4}, {"batch": 10}], ids=["one by one", "batches"])
async def test_a_replay_to_a_queue_without_marks_is_settled_too(
    amqp_url: str, database_url: str, size: dict[str, int]
) -> None:
    async with bus_bench(amqp_url, database_url, work_queue(inbox=False, **size)) as bench:
        hands = Hands(bench)

        async def one(job: Job[ExtractDocumentV1]) -> None:
            hands.seen.append(job)
            if hands.error is not None:
                raise hands.error

        async def many(jobs: Sequence[Job[ExtractDocumentV1]]) -> None:
            for job in jobs:
                await one(job)

        async with bench.consuming_with(
            **({"one": one} if "slots" in size else {"many": many})
        ):
            letter = await died(hands)
            replay_id = await replayed(hands, letter)
            await eventually(lambda: _settled(hands, 1))

        assert await settled(hands) == {str(replay_id): "done"}


async def _effects(hands: Hands, count: int) -> bool:
    return len(await hands.bench.effects()) == count


async def _settled(hands: Hands, count: int) -> bool:
    return len(await settled(hands)) == count


async def died(hands: Hands) -> DeliveredMessage:
    """A job of this queue fails for good."""
    hands.error = Rejected("unreadable")
    await hands.bench.submit()
    letter = await hands.bench.letter()
    hands.error = None
    return letter


async def replayed(hands: Hands, letter: DeliveredMessage, *, run: int = 1) -> UUID:
    replay_id = uuid4()
    async with hands.bench.ledger.unit() as unit:
        headers = headers_of(letter)
        unit.resend(Resend(hands.bench.queue.name, letter.body, headers, 3, run, replay_id))
    await hands.bench.relay.drain()
    return replay_id


async def settled(hands: Hands) -> dict[str, str]:
    """How each replay ended, by its id."""
    facts = await hands.bench.outbox(ReplaySettledV1.type)
    return {fact.body["replay_id"]: fact.body["outcome"] for fact in facts}
