"""A replayed dead letter: applied once, whatever happened to the job before and meanwhile."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
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
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.broker.messages import headers_of, reason_of
from tests.eventually import eventually


@dataclass(slots=True)
class Hands:
    bench: BusBench
    error: Exception | None = None
    seen: list[Job[ExtractDocumentV1]] = field(default_factory=list)

    async def __call__(self, job: Job[ExtractDocumentV1]) -> None:
        self.seen.append(job)
        if self.error is not None:
            raise self.error
        async with self.bench.ledger.handling(job) as unit:
            await self.bench.effects_of(unit)

    async def die(self) -> DeliveredMessage:
        """A job of this queue fails for good."""
        self.error = Rejected("unreadable")
        await self.bench.submit()
        letter = await self.bench.letter()
        self.error = None
        return letter

    async def replay(self, letter: DeliveredMessage, *, run: int = 1) -> UUID:
        replay_id = uuid4()
        async with self.bench.ledger.unit() as unit:
            headers = headers_of(letter)
            unit.resend(Resend(self.bench.queue.name, letter.body, headers, 3, run, replay_id))
        await self.bench.relay.drain()
        return replay_id

    async def settled(self) -> dict[str, str]:
        """How each replay ended, by its id."""
        facts = await self.bench.outbox(ReplaySettledV1.type)
        return {fact.body["replay_id"]: fact.body["outcome"] for fact in facts}


@pytest.fixture
async def hands(amqp_url: str, database_url: str) -> AsyncIterator[Hands]:
    async with bus_bench(amqp_url, database_url, work_queue()) as bench:
        yield Hands(bench)


async def test_what_had_failed_for_good_is_done_by_its_replay(hands: Hands) -> None:
    async with hands.bench.consuming_with(one=hands):
        letter = await hands.die()
        replay_id = await hands.replay(letter)
        await eventually(lambda: _effects(hands, 1))

    assert await hands.settled() == {str(replay_id): "done"}


async def test_the_replayed_message_is_the_one_that_failed_on_its_first_attempt(
    hands: Hands,
) -> None:
    async with hands.bench.consuming_with(one=hands):
        letter = await hands.die()
        await hands.replay(letter)
        await eventually(lambda: _effects(hands, 1))

    first, again = hands.seen
    assert (again.job_id, again.body) == (first.job_id, first.body)
    assert (again.attempt, again.run) == (1, 1)
    assert not DEAD_HEADERS & set(again.headers)
    assert {RUN, REPLAY} <= set(again.headers)


async def test_replayed_twice_it_is_applied_once(hands: Hands) -> None:
    async with hands.bench.consuming_with(one=hands):
        letter = await hands.die()
        replays = [await hands.replay(letter), await hands.replay(letter)]
        await eventually(lambda: _settled(hands, 2))

    outcomes = await hands.settled()
    assert sorted(outcomes[str(one)] for one in replays) == ["already_applied", "done"]
    assert len(await hands.bench.effects()) == 1


async def test_a_replay_of_what_is_done_does_nothing_and_says_so(hands: Hands) -> None:
    bench = hands.bench
    async with bench.consuming_with(one=hands):
        letter = await hands.die()
        await hands.replay(letter)
        await eventually(lambda: _effects(hands, 1))
        late = await hands.replay(letter, run=2)
        await eventually(lambda: _settled(hands, 2))

    assert (await hands.settled())[str(late)] == "already_applied"
    assert len(await bench.effects()) == 1


async def test_a_replay_of_what_was_withdrawn_says_so(hands: Hands) -> None:
    async with hands.bench.consuming_with(one=hands):
        letter = await hands.die()
        hands.error = Withdrawn("deleted")
        replay_id = await hands.replay(letter)
        await eventually(lambda: _settled(hands, 1))

    assert await hands.settled() == {str(replay_id): "withdrawn"}


async def test_a_replay_that_fails_again_is_a_letter_of_its_run(hands: Hands) -> None:
    async with hands.bench.consuming_with(one=hands):
        letter = await hands.die()
        hands.error = Rejected("still_unreadable")
        replay_id = await hands.replay(letter)
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
            letter = await hands.die()
            replay_id = await hands.replay(letter)
            await eventually(lambda: _settled(hands, 1))

        assert await hands.settled() == {str(replay_id): "done"}


async def _effects(hands: Hands, count: int) -> bool:
    return len(await hands.bench.effects()) == count


async def _settled(hands: Hands, count: int) -> bool:
    return len(await hands.settled()) == count
