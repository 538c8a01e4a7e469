"""The monitor on a real PostgreSQL: a letter is kept once, and sent back once."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from services.monitor.domain.letters import LetterState, read_letter
from services.monitor.domain.replays import AlreadyReplaying, Replay
from services.monitor.handlers.keeping import keep_letters
from services.monitor.handlers.replaying import (
    get_letter,
    get_replay,
    replay_letter,
    view_payload,
)
from services.monitor.handlers.surveying import survey
from services.monitor.handlers.watching import watch_facts
from services.monitor.ports import Filter, Place
from shared.audit.log import verify
from shared.bus.headers import DEAD_HEADERS, REPLAY, RUN
from shared.bus.jobs import Job
from shared.bus.letters import Letter
from shared.contracts.body import Body
from shared.contracts.envelope import decode
from shared.contracts.facts import (
    ConsumptionPausedV1,
    ConsumptionResumedV1,
    ReplaySettledV1,
)
from shared.contracts.identity import new_id
from tests import builders
from tests.broker.monitor_world import Monitor, monitor_service
from tests.unit.monitor.world import QUEUE, dead_letter, garbage


@pytest.fixture
async def monitor(database_url: str) -> AsyncIterator[Monitor]:
    async with monitor_service(database_url) as monitor:
        yield monitor


def settled(replay: Replay, outcome: str = "done") -> Job[ReplaySettledV1]:
    return builders.job(
        ReplaySettledV1.model_validate(
            {
                "replay_id": replay.replay_id,
                "job_id": replay.job_id,
                "run": replay.run,
                "queue": replay.queue,
                "outcome": outcome,
            }
        )
    )


async def test_a_letter_that_comes_often_and_from_many_sides_is_kept_once(
    monitor: Monitor,
) -> None:
    letters = [dead_letter(), dead_letter(), garbage()]

    await asyncio.gather(*(keep_letters(letters * 2, monitor.use) for _ in range(10)))

    assert await monitor.count("dead_letters") == 3


async def test_a_kept_letter_reads_back_as_it_arrived(monitor: Monitor) -> None:
    document_id = uuid4()
    letter = dead_letter(document_id=document_id, run=3)

    kept = await monitor.kept(letter)

    assert (kept.state, kept.document_id, kept.run) == (LetterState.OPEN, document_id, 3)
    assert (kept.reason, kept.attempts, kept.priority) == ("unreadable", 1, 4)
    assert kept.last_failed_at is not None
    assert dict(kept.headers) == dict(letter.headers)
    _, body = await view_payload(kept.letter_id, "edith", monitor.use)
    assert body == letter.body


def odd_letters() -> list[Letter]:
    """What a stranger, a bug or a newer version might leave in a dead queue."""
    texts = (
        "",
        "\0",
        "a\0b",
        "\ud800",
        "\U0001f9fe" * 1000,
        "9" * 9,
        "9" * 40,
        "-1",
        "x" * 3000,
    )
    names = sorted(DEAD_HEADERS | {RUN, REPLAY})
    letters = [
        Letter(
            f"{QUEUE}.dead",
            text,
            text.encode("utf-8", "replace"),
            dict.fromkeys(names, text),
            text,
            text,
            priority,
        )
        for text in texts
        for priority in (-1, 0, 99_999)
    ]
    nul_inside = dead_letter().body.replace(b"acme", b"ac\\u0000me")
    return [*letters, replace(dead_letter(), body=nul_inside), replace(dead_letter(), body=b"")]


async def test_no_letter_is_so_odd_that_it_would_come_back_for_ever(monitor: Monitor) -> None:
    letters = odd_letters()

    await keep_letters(letters, monitor.use)

    keys = {read_letter(letter, new_id()).natural_key for letter in letters}
    assert await monitor.count("dead_letters") == len(keys)


async def test_many_clicks_on_replay_send_the_letter_back_once(monitor: Monitor) -> None:
    letter = dead_letter()
    kept = await monitor.kept(letter)

    answers = await asyncio.gather(
        *(replay_letter(kept.letter_id, "olga", "Fixed.", monitor.use) for _ in range(20)),
        return_exceptions=True,
    )

    [replay] = [one for one in answers if isinstance(one, Replay)]
    refused = [one for one in answers if isinstance(one, AlreadyReplaying)]
    assert len(refused) == 19
    assert {one.letter.replay_id for one in refused} == {replay.replay_id}
    assert await monitor.schema.outbox() == [(QUEUE, "document.extract")]
    row = await monitor.schema.owner.fetchrow("SELECT exchange, headers, body FROM outbox")
    assert row is not None
    assert row["exchange"] == "jobs"
    assert str(replay.replay_id) in row["headers"]
    assert "dead-reason" not in row["headers"]
    assert decode(row["body"]).header.job_id == decode(letter.body).header.job_id
    assert await monitor.count("audit_log") == 1
    assert await verify(monitor.schema.pool) is None


async def test_a_replay_that_is_done_resolves_its_letter_once_for_all(
    monitor: Monitor,
) -> None:
    kept = await monitor.kept(dead_letter())
    replay = await replay_letter(kept.letter_id, "olga", "Fixed.", monitor.use)

    await watch_facts([settled(replay)], monitor.use)
    await watch_facts([settled(replay, "already_applied")], monitor.use)

    letter = await get_letter(kept.letter_id, monitor.use)
    assert (letter.state, letter.outcome) == (LetterState.RESOLVED, "done")
    ended = await get_replay(replay.replay_id, monitor.use)
    assert (ended.state, ended.outcome) == ("settled", "done")
    assert ended.settled_at is not None


async def test_a_replay_that_fails_again_leaves_the_newer_letter_to_replay(
    monitor: Monitor,
) -> None:
    first = await monitor.kept(dead_letter())
    assert first.job_id is not None
    replay = await replay_letter(first.letter_id, "olga", "Fixed.", monitor.use)

    second = await monitor.kept(
        dead_letter(job_id=first.job_id, run=1, replay=str(replay.replay_id))
    )
    again = await replay_letter(second.letter_id, "olga", "Really fixed.", monitor.use)

    assert (await get_letter(first.letter_id, monitor.use)).state is LetterState.REFAILED
    assert (await get_replay(replay.replay_id, monitor.use)).outcome == "refailed"
    assert again.run == 2


async def test_letters_are_filtered_and_paged_without_gap_or_repeat(monitor: Monitor) -> None:
    document_id = uuid4()
    wanted = [dead_letter(document_id=document_id) for _ in range(5)]
    await keep_letters([*wanted, dead_letter(dead_reason="too_large"), garbage()], monitor.use)

    seen: list[UUID] = []
    after = None
    which = Filter(
        queue=QUEUE,
        reason="unreadable",
        state=LetterState.OPEN,
        document_id=document_id,
        fingerprint="f" * 16,
    )
    while page := await monitor.letters.list_letters(which, after=after, limit=2):
        seen += [letter.letter_id for letter in page]
        after = Place(page[-1].arrived_at, page[-1].letter_id)

    assert len(seen) == len(set(seen)) == 5
    assert len(await monitor.letters.list_letters(Filter(), after=None, limit=50)) == 7
    in_dead_queue = Filter(queue=f"{QUEUE}.dead", reason="too_large")
    assert len(await monitor.letters.list_letters(in_dead_queue, after=None, limit=50)) == 1


@pytest.mark.parametrize("seed", range(5))
async def test_documents_end_the_same_whatever_the_order_of_their_facts(
    monitor: Monitor, seed: int
) -> None:
    about = {"document_id": uuid4()}
    jobs: list[Job[Body]] = [
        builders.job(builders.accepted(**about)),
        builders.job(builders.failed(**about)),
        builders.job(builders.started(**about), run=1),
        builders.job(builders.extracted(**about), run=1),
        builders.job(builders.stored(**about), run=1),
    ]
    random.Random(seed).shuffle(jobs)

    for job in jobs:
        await watch_facts([job], monitor.use)
    await watch_facts(jobs, monitor.use)

    assert await monitor.use.documents.count_documents() == {"completed": 1}


async def test_the_oldest_document_of_each_stage_is_measured(monitor: Monitor) -> None:
    waits, is_read, ended = uuid4(), uuid4(), uuid4()
    facts = [
        builders.accepted(document_id=waits),
        builders.started(document_id=is_read),
        builders.started(document_id=ended),
        builders.stored(document_id=ended),
    ]
    await watch_facts([builders.job(one) for one in facts], monitor.use)

    oldest = await monitor.use.documents.measure_stages()

    assert oldest.keys() == {"waiting", "reading"}
    assert all(0 <= seconds < 60 for seconds in oldest.values())


async def test_batches_that_share_documents_do_not_stop_each_other(monitor: Monitor) -> None:
    documents = [uuid4() for _ in range(50)]

    def batch(seed: int) -> list[Job[Body]]:
        jobs: list[Job[Body]] = [
            builders.job(builders.stored(document_id=one)) for one in documents
        ]
        random.Random(seed).shuffle(jobs)
        return jobs

    await asyncio.gather(*(watch_facts(batch(seed), monitor.use) for seed in range(20)))

    assert await monitor.use.documents.count_documents() == {"completed": 50}


async def test_a_late_fact_does_not_pause_a_queue_again(monitor: Monitor) -> None:
    early, later, latest = sorted(new_id() for _ in range(3))
    paused = ConsumptionPausedV1(queue=QUEUE, reason="postgres")
    resumed = ConsumptionResumedV1(queue=QUEUE, reason="postgres")

    await watch_facts([builders.job(resumed, job_id=later)], monitor.use)
    await watch_facts([builders.job(paused, job_id=early)], monitor.use)
    none = await monitor.use.pauses.list_pauses()
    await watch_facts([builders.job(paused, job_id=latest)], monitor.use)

    assert none == []
    assert [pause.queue for pause in await monitor.use.pauses.list_pauses()] == [QUEUE]


async def test_the_overview_counts_what_is_kept(monitor: Monitor) -> None:
    kept = await monitor.kept(dead_letter())
    await keep_letters([dead_letter(), garbage()], monitor.use)
    await replay_letter(kept.letter_id, "olga", "Fixed.", monitor.use)
    await watch_facts([builders.job(builders.started())], monitor.use)

    overview = await survey(monitor.use)

    assert {(one.reason, one.letters) for one in overview.open_letters} == {
        ("unreadable", 2),
        ("undecodable", 1),
    }
    assert overview.running_replays == 1
    assert overview.documents == {"processing": 1}


async def test_a_letter_with_a_large_body_is_kept_whole(monitor: Monitor) -> None:
    large = replace(garbage(), body=random.Random(7).randbytes(4 << 20))

    kept = await monitor.kept(large)

    _, body = await view_payload(kept.letter_id, "edith", monitor.use)
    assert body == large.body
