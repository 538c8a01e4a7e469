"""Erasing on a real PostgreSQL: no letter of a deleted document stays, whoever comes first."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import suppress
from uuid import UUID, uuid4

import pytest

from services.monitor.domain.operations import Kind
from services.monitor.domain.replays import NoSuchLetter, NotReplayable
from services.monitor.handlers.keeping import keep_letters
from services.monitor.handlers.replaying import replay_letter
from services.monitor.handlers.watching import watch_facts
from shared.audit.log import verify
from shared.bus.jobs import Job
from shared.bus.letters import Letter
from shared.contracts.body import Body
from tests import builders
from tests.broker.monitor_world import Monitor, monitor_service
from tests.conformance.operating import Operating
from tests.unit.monitor.world import dead_letter

ROUNDS = 40


@pytest.fixture
async def monitor(database_url: str) -> AsyncIterator[Monitor]:
    async with monitor_service(database_url) as monitor:
        yield monitor


def shuffled(documents: list[UUID], seed: int) -> list[UUID]:
    return random.Random(seed).sample(documents, len(documents))


def deletions(documents: list[UUID]) -> list[Job[Body]]:
    return [builders.job(builders.deleted(document_id=one)) for one in documents]


def letters_of(documents: list[UUID]) -> list[Letter]:
    return [dead_letter(document_id=one) for one in documents]


async def test_letters_that_race_the_deletion_of_their_documents_do_not_stay(
    monitor: Monitor,
) -> None:
    for seed in range(ROUNDS):
        documents = [uuid4() for _ in range(6)]
        deleted = deletions(shuffled(documents, seed))

        await asyncio.gather(
            *(
                keep_letters(letters_of(shuffled(documents, at)), monitor.use)
                for at in range(3)
            ),
            watch_facts(deleted[:3], monitor.use),
            watch_facts(deleted[3:], monitor.use),
            *(
                keep_letters(letters_of(shuffled(documents, at)), monitor.use)
                for at in range(3)
            ),
        )

        assert await monitor.count("dead_letters") == 0, f"round {seed}"
    sent = await monitor.schema.outbox()
    assert len(sent) == ROUNDS * 6


async def test_a_deletion_and_clicks_and_an_operation_do_not_dead_lock(
    monitor: Monitor,
) -> None:
    operating = Operating(monitor, monitor.use, lambda: None)

    async def click(letter_id: UUID) -> None:
        with suppress(NoSuchLetter, NotReplayable):
            await replay_letter(letter_id, "olga", "Fixed.", monitor.use)

    for seed in range(10):
        documents = [uuid4() for _ in range(30)]
        kept = [await monitor.kept(one) for one in letters_of(shuffled(documents, seed))]
        await operating.asked(Kind.REPLAY, key=f"k{seed}")

        await asyncio.gather(
            operating.run(),
            *(click(one.letter_id) for one in kept[::3]),
            *(watch_facts(deletions(shuffled(documents, at)), monitor.use) for at in range(4)),
            keep_letters(letters_of(documents), monitor.use),
        )

        assert await monitor.count("dead_letters") == 0, f"round {seed}"
        assert await monitor.count("replays") == 0, f"round {seed}"


async def test_erased_letters_are_on_record(monitor: Monitor) -> None:
    documents = [uuid4(), uuid4()]
    kept = [await monitor.kept(one) for one in letters_of(documents)]

    await watch_facts(deletions(documents), monitor.use)

    lines = await monitor.schema.owner.fetch("SELECT action, resource FROM audit_log")
    assert {(line["action"], line["resource"]) for line in lines} == {
        ("letter_erased", f"dead-letter/{one.letter_id}") for one in kept
    }
    assert await verify(monitor.schema.pool) is None
