"""What a batch of facts asks of the database, and what it sees there."""

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from services.monitor.handlers.watching import watch_facts
from tests import builders
from tests.broker.monitor_world import Monitor, monitor_service
from tests.broker.test_round_trips import asked_of
from tests.eventually import eventually

HOLDS_UP = (
    "SELECT count(*) FROM pg_locks"
    " WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
)


@pytest.fixture
async def monitor(database_url: str) -> AsyncIterator[Monitor]:
    async with monitor_service(database_url) as monitor:
        yield monitor


async def test_facts_of_documents_are_one_round_trip(monitor: Monitor) -> None:
    about = {"document_id": uuid4()}
    facts = [builders.accepted(**about), builders.started(**about), builders.stored(**about)]
    await watch_facts([builders.job(facts[0])], monitor.use)

    async with asked_of(monitor.schema.pool) as asked:
        await watch_facts([builders.job(one) for one in facts[1:]], monitor.use)
        # The driver notes what it was asked a moment later.
        await eventually(lambda: len(asked) > 0)

    assert len(asked) == 1, asked
    assert await monitor.use.documents.count_documents() == {"completed": 1}
    kept = await monitor.use.facts.list_facts(about["document_id"], 10)
    assert {one.type for one in kept} == {one.type for one in facts}


async def test_what_is_told_while_a_document_is_deleted_says_nothing(monitor: Monitor) -> None:
    """The fact waits for the deletion, and has to see it then."""
    about = {"document_id": uuid4()}
    stored = builders.job(builders.stored(**about))
    await watch_facts([builders.job(builders.accepted(**about))], monitor.use)

    async with monitor.schema.pool.transaction() as deleting:
        await deleting.execute("UPDATE documents_seen SET status = 'deleted', rank = 100")
        told = asyncio.create_task(watch_facts([stored], monitor.use))
        await eventually(lambda: deleting.fetchval(HOLDS_UP))
    await told

    [kept] = [
        one
        for one in await monitor.use.facts.list_facts(about["document_id"], 10)
        if one.job_id == stored.job_id
    ]
    assert kept.detail == {}
