"""What the record of jobs promises the bus: in memory, and in PostgreSQL.

The consumer's tests trust the first; a service runs on the second.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import pytest

import shared.ledger
from shared.bus.frames import Outgoing
from shared.bus.headers import RUN
from shared.bus.jobs import Job
from shared.bus.ports import Burial
from shared.contracts.answers import SubmissionAnsweredV1
from shared.contracts.body import Body, Fact
from shared.contracts.envelope import decode
from shared.contracts.facts import ReplaySettledV1
from shared.contracts.identity import new_id
from shared.database.migrations import migrate
from shared.topology.queues import EXTRACT, STATUS, STORE, WorkQueue
from tests import builders
from tests.broker.database import migrations_of, own_database
from tests.conformance.job_records import Bench, MemoryBench, Written, postgres_bench
from tests.fakes.clock import NOON
from tests.fakes.deliveries import envelope


@pytest.fixture(scope="module")
async def migrated_url() -> AsyncIterator[str]:
    async with own_database() as url:
        ledger = migrations_of(shared.ledger)
        await migrate(url, schema="ledger", locations=[ledger], role=None)
        yield url


@pytest.fixture
async def postgres(migrated_url: str) -> AsyncIterator[Bench]:
    async with postgres_bench(migrated_url) as bench:
        yield bench


@pytest.fixture
def memory() -> Bench:
    return MemoryBench()


@pytest.fixture(params=["memory", "postgres"])
def bench(request: pytest.FixtureRequest) -> Bench:
    found: Bench = request.getfixturevalue(request.param)
    return found


def order(run: int = 0, like: Job[Body] | None = None) -> Job[Body]:
    """An order to extract, or the same one in another run."""
    body = builders.extract_document()
    return builders.job(body, job_id=like.job_id if like else None, run=run)


def burial(job: Job[Body], *, queue: WorkQueue = EXTRACT, fact: Fact | None = None) -> Burial:
    return Burial(
        queue=queue,
        job_id=job.job_id,
        run=job.run,
        type="document.extract",
        body=envelope(job_id=job.job_id),
        headers=job.headers,
        priority=5,
        fact=fact,
    )


async def test_a_job_nobody_has_seen_is_not_finished(bench: Bench) -> None:
    assert not await bench.record.is_finished(EXTRACT, order())


async def test_what_was_done_is_finished_in_every_run(bench: Bench) -> None:
    job = order()
    await bench.finish(job)

    assert await bench.record.is_finished(EXTRACT, job)
    assert await bench.record.is_finished(EXTRACT, order(run=7, like=job))


async def test_what_failed_is_finished_in_its_run_and_open_in_the_next(bench: Bench) -> None:
    job = order(run=1)
    await bench.record.bury(burial(job))

    assert await bench.record.is_finished(EXTRACT, order(run=0, like=job))
    assert await bench.record.is_finished(EXTRACT, job)
    assert not await bench.record.is_finished(EXTRACT, order(run=2, like=job))


async def test_a_mark_is_one_consumers_own(bench: Bench) -> None:
    job = order()
    await bench.finish(job)

    assert not await bench.record.is_finished(STORE, job)


async def test_a_job_is_done_once(bench: Bench) -> None:
    job = order()

    assert [await bench.finish(job), await bench.finish(job)] == [True, False]
    assert not await bench.finish(order(run=9, like=job))


async def test_only_a_later_run_may_do_what_failed(bench: Bench) -> None:
    job = order(run=1)
    await bench.record.bury(burial(job))

    assert not await bench.finish(job)
    assert not await bench.finish(order(run=0, like=job))
    assert await bench.finish(order(run=2, like=job))


async def test_a_burial_is_a_letter_and_a_fact(bench: Bench) -> None:
    job = order(run=2)
    fact = builders.failed()

    assert await bench.record.bury(burial(job, fact=fact))

    letter, told = await bench.outbox()
    assert (letter.exchange, letter.routing_key) == ("dead", EXTRACT.name)
    assert (letter.priority, letter.run) == (5, "2")
    assert decode(letter.body).header.job_id == job.job_id
    assert (told.exchange, told.routing_key, told.run) == ("events", "document.failed", "2")
    assert told.said == fact.model_copy(update={"cause_id": job.job_id})


async def test_who_asked_is_answered_in_the_commit_of_the_burial(bench: Bench) -> None:
    asked = builders.job(builders.extract_document(), reply_to="reply.acme")
    answer = SubmissionAnsweredV1(outcome="rejected", reason="encrypted")

    buried = [await bench.record.bury(replace(burial(asked), answer=answer)) for _ in range(2)]

    assert buried == [True, False]
    _, told = await bench.outbox()
    assert (told.exchange, told.routing_key) == ("", "reply.acme")
    assert told.said == answer


async def test_what_was_done_is_never_buried(bench: Bench) -> None:
    job = order()
    await bench.finish(job)

    assert not await bench.record.bury(burial(order(run=3, like=job), fact=builders.failed()))
    assert await bench.outbox() == []


async def test_a_failure_is_buried_once_in_each_run(bench: Bench) -> None:
    job = order(run=1)
    again = order(run=2, like=job)
    buried = [await bench.record.bury(burial(one)) for one in (job, job, again, again, job)]

    assert buried == [True, False, True, False, False]
    assert [letter.run for letter in await bench.outbox()] == ["1", "2"]


async def test_without_an_inbox_a_failure_is_buried_once_as_well(bench: Bench) -> None:
    job = order(run=1)
    again = order(run=2, like=job)

    buried = [
        await bench.record.bury(burial(one, queue=STATUS)) for one in (job, job, again, again)
    ]

    assert buried == [True, False, True, False]
    assert len(await bench.outbox()) == 2


async def test_two_copies_that_fail_at_once_leave_one_letter(bench: Bench) -> None:
    job = order()

    buried = await asyncio.gather(*(bench.record.bury(burial(job)) for _ in range(4)))

    assert sorted(buried) == [False, False, False, True]
    assert len(await bench.outbox()) == 1


async def test_the_first_start_that_is_counted_is_the_second(bench: Bench) -> None:
    first, second = new_id(), new_id()

    assert await bench.record.count_starts(EXTRACT, [first]) == {first: 2}
    assert await bench.record.count_starts(EXTRACT, [second, first]) == {first: 3, second: 2}


async def test_an_id_that_is_named_twice_starts_once(bench: Bench) -> None:
    job_id = new_id()

    assert await bench.record.count_starts(EXTRACT, [job_id, job_id]) == {job_id: 2}


async def test_starts_are_one_consumers_own(bench: Bench) -> None:
    job_id = new_id()
    await bench.record.count_starts(EXTRACT, [job_id])

    assert await bench.record.count_starts(STORE, [job_id]) == {job_id: 2}


async def test_forgotten_starts_begin_anew(bench: Bench) -> None:
    known, unknown = new_id(), uuid4()
    await bench.record.count_starts(EXTRACT, [known])

    await bench.record.forget_starts(EXTRACT, [known, unknown])

    assert await bench.record.count_starts(EXTRACT, [known]) == {known: 2}


async def test_starts_that_were_taken_back_do_not_count(bench: Bench) -> None:
    interrupted, first = new_id(), new_id()
    await bench.record.count_starts(EXTRACT, [interrupted])

    await bench.record.take_back_starts(EXTRACT, [interrupted, first, interrupted])

    # The first start of the second was never recorded, so the next is the first that counts.
    assert await bench.record.count_starts(EXTRACT, [interrupted]) == {interrupted: 2}
    assert await bench.record.count_starts(EXTRACT, [first]) == {first: 1}


async def test_a_replay_without_a_commit_of_its_own_is_told_to_the_operator(
    bench: Bench,
) -> None:
    replay_id = uuid4()
    job = builders.job(builders.extract_document(), run=3, replay_id=replay_id)

    await bench.record.settle_replay(job, "withdrawn")

    [told] = await bench.outbox()
    settled = told.said
    assert isinstance(settled, ReplaySettledV1)
    assert (settled.replay_id, settled.job_id) == (replay_id, job.job_id)
    assert (settled.run, settled.outcome) == (3, "withdrawn")
    assert (settled.queue, settled.cause_id) == (EXTRACT.name, job.job_id)


async def test_facts_are_told_in_the_name_of_their_cause(bench: Bench) -> None:
    cause = order(run=1)

    await bench.record.announce([builders.waiting(), builders.waiting()], cause=cause)
    await bench.record.announce([], cause=cause)

    told = await bench.outbox()
    assert [one.run for one in told] == ["1", "1"]
    assert {one.said.cause_id for one in told if isinstance(one.said, Fact)} == {cause.job_id}


async def test_what_waits_for_long_is_owed_then_and_no_sooner(bench: Bench) -> None:
    body = envelope(builders.extract_document())
    message = Outgoing("jobs", EXTRACT.name, body, "document.extract", {RUN: "2"}, priority=5)

    await bench.record.keep_for_later(message, after_s=20_000)

    assert await bench.outbox() == []
    [(after_s, owed)] = await bench.later()
    assert after_s == pytest.approx(20_000, abs=60)
    assert owed == Written("jobs", EXTRACT.name, 5, "2", body)


async def test_time_is_the_clocks(bench: Bench) -> None:
    assert bench.record.now() == NOON
