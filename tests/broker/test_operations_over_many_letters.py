"""A selection of some letters costs what it names, not what lies beside it."""

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID

import pytest

from services.monitor.domain.operations import Kind, OperationState
from services.monitor.handlers.operating import step_operation
from services.monitor.ports import Limits
from tests.broker.database import own_database
from tests.broker.monitor_world import Monitor, monitor_service
from tests.conformance.operating import Operating
from tests.unit.monitor.world import dead_letter

LETTERS = 20_000
NAMED = 2_000
# Of the statement that writes them down. Without an index it takes many times as long.
MOST_MS = 2_000
COPY = """
    INSERT INTO dead_letters (
           letter_id, natural_key, dead_queue, origin_queue, job_id, run, reason, category,
           exception, message, fingerprint, attempts, body, body_bytes, headers, content_type,
           priority, arrived_at)
    SELECT gen_random_uuid(), 'copy ' || n, dead_queue, origin_queue, gen_random_uuid(), run,
           reason, category, exception, message, fingerprint, attempts, body, body_bytes,
           headers, content_type, priority, arrived_at - n * interval '1 millisecond'
      FROM dead_letters
     CROSS JOIN generate_series(1, $1::integer) AS n"""
SOME = "SELECT letter_id FROM dead_letters ORDER BY natural_key LIMIT $1"


@pytest.fixture
async def monitor() -> AsyncIterator[Monitor]:
    async with own_database() as url, monitor_service(url) as one:
        await one.kept(dead_letter())
        await one.schema.owner.execute(COPY, LETTERS - 1)
        await one.schema.owner.execute("ANALYZE dead_letters")
        yield one


async def ids(monitor: Monitor) -> tuple[UUID, ...]:
    rows = await monitor.schema.owner.fetch(SOME, NAMED)
    return tuple(row["letter_id"] for row in rows)


async def test_letters_that_are_named_are_written_down_at_once(monitor: Monitor) -> None:
    operating = Operating(monitor, monitor.use, lambda: None)
    which = operating.selection(ids=await ids(monitor))
    operation = await operating.asked(Kind.ARCHIVE, selection=which, letters_max=LETTERS)

    async with monitor.use.ledger.unit() as unit:
        await unit.connection.execute(f"SET LOCAL statement_timeout = {MOST_MS}")
        await monitor.use.operations.prepare_items(unit, operation, LETTERS)

    now = await operating.now(operation)
    assert (now.state, now.total) == (OperationState.RUNNING, NAMED)


@pytest.mark.parametrize("most", [LETTERS, LETTERS // 2])
async def test_each_letter_is_written_down_once_however_many_steps_it_takes(
    monitor: Monitor, most: int
) -> None:
    # The last step is full, whether the letters end there or what may be taken.
    limits = Limits(prepare_batch=LETTERS // 4)
    operating = Operating(monitor, replace(monitor.use, limits=limits), lambda: None)
    operation = await operating.asked(Kind.ARCHIVE, letters_max=most)

    while (await operating.now(operation)).state is OperationState.PREPARING:
        await step_operation(operating.use)

    now = await operating.now(operation)
    assert now.total == await monitor.count("operation_items") == most
    told = "SELECT count(DISTINCT letter_id) FROM operation_items"
    assert await monitor.schema.owner.fetchval(told) == most
