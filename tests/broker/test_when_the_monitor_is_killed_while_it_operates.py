"""A monitor that dies in any step of an operation: each letter is sent once, none forgotten."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator

import pytest

from services.monitor.domain.operations import (
    Kind,
    Operation,
    OperationState,
    Pace,
    Selection,
    Wish,
)
from services.monitor.handlers.keeping import keep_letters
from services.monitor.handlers.requesting import get_operation, request_operation
from services.monitor.handlers.settling import settle_replays
from tests.broker.monitor_world import Monitor, monitor_service
from tests.house.repository import ROOT
from tests.unit.monitor.world import QUEUE, dead_letter

LETTERS = 40
FAST = Pace(rate_per_s=1_000_000, in_flight_max=1_000)
FAILPOINTS = sorted(
    set(
        re.findall(
            r'failpoint\("(monitor\.\w+)"\)',
            (ROOT / "services/monitor/handlers/operating.py").read_text(),
        )
    )
)
# The first and a later step of each: between them lies one that was committed.
INSTANTS = [
    *(f"{name}:kill:{nth}" for name in FAILPOINTS for nth in (1, 3)),
    *(f"unit.{edge}_commit:kill:{nth}" for edge in ("before", "after") for nth in (1, 9)),
]


@pytest.fixture
async def monitor(database_url: str) -> AsyncIterator[Monitor]:
    async with monitor_service(database_url) as monitor:
        yield monitor


async def asked(monitor: Monitor, kind: Kind) -> Operation:
    await keep_letters([dead_letter() for _ in range(LETTERS)], monitor.use)
    selection = Selection(arrived_before=monitor.use.clock.now(), queue=QUEUE)
    wish = Wish(kind, selection, FAST, "Fixed.", "olga", 1_000, "k1", "d")
    operation, _ = await request_operation(wish, monitor.use)
    return operation


async def operate(monitor: Monitor, database_url: str, failpoint: str = "") -> int:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.broker.operating_process"),
        *(database_url, monitor.schema.name, failpoint),
        cwd=ROOT,
    )
    return await process.wait()


@pytest.mark.parametrize("instant", INSTANTS)
async def test_each_letter_is_sent_once(
    instant: str, monitor: Monitor, database_url: str
) -> None:
    operation = await asked(monitor, Kind.REPLAY)

    assert await operate(monitor, database_url, instant) == -9
    assert await operate(monitor, database_url) == 0

    now = await get_operation(operation.operation_id, monitor.use)
    assert (now.total, now.sent, now.skipped) == (LETTERS, LETTERS, 0)
    assert len(await monitor.schema.outbox()) == LETTERS
    sent = await monitor.schema.owner.fetch(
        "SELECT headers::json->>'paperline-replay' AS id FROM outbox"
    )
    kept = await monitor.schema.owner.fetch("SELECT replay_id::text AS id FROM dead_letters")
    assert {row["id"] for row in sent} == {row["id"] for row in kept}


async def test_an_operation_ends_when_the_last_outcome_is_told(
    monitor: Monitor, database_url: str
) -> None:
    operation = await asked(monitor, Kind.REPLAY)
    await operate(monitor, database_url)
    rows = await monitor.schema.owner.fetch("SELECT replay_id FROM dead_letters")

    async with monitor.use.ledger.unit() as unit:
        await settle_replays(unit, dict.fromkeys([row[0] for row in rows], "done"), monitor.use)
    await operate(monitor, database_url)

    now = await get_operation(operation.operation_id, monitor.use)
    assert (now.state, now.done) == (OperationState.COMPLETED, LETTERS)


async def test_a_purge_that_is_cut_off_goes_on(monitor: Monitor, database_url: str) -> None:
    operation = await asked(monitor, Kind.PURGE)

    assert await operate(monitor, database_url, "monitor.operation_stepped:kill:2") == -9
    await operate(monitor, database_url)

    now = await get_operation(operation.operation_id, monitor.use)
    assert (now.applied, await monitor.count("dead_letters")) == (LETTERS, 0)
