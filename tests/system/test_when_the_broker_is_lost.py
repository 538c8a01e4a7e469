"""The broker comes back empty: its disk is gone, with every message that was on its way."""

import asyncio
import shutil
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from deploy.local.account import node_account, node_folder
from tests.eventually import eventually
from tests.system.client import Client, client_of
from tests.system.invoices import batch_of
from tests.system.records import Records
from tests.system.stack import Stack

COUNT = 3
# What would be missed within the hour is missed within seconds.
SOONER = {
    "PAPERLINE_QUEUED_STALE_S": "8",
    "PAPERLINE_PROCESSING_STALE_S": "8",
    "PAPERLINE_SWEEP_EVERY_S": "1",
}


@pytest.fixture
async def wiped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stack]:
    for name in ("DATABASE_URL", "AMQP_URL", "S3_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    for name, text in SOONER.items():
        monkeypatch.setenv(name, text)
    stack = Stack.below(folder / "wiped")
    await stack.begin_anew()
    try:
        yield stack
    finally:
        await stack.down()


@pytest.mark.slow
async def test_queues_are_made_anew_and_what_was_in_them_is_ordered_again(
    wiped: Stack,
) -> None:
    records = Records(wiped)
    async with client_of(wiped) as client:
        # Nobody takes them, so that it is known what the broker holds when it dies.
        await wiped.stop("review")
        unreviewed = batch_of(COUNT)
        await client.hand_in_all(unreviewed)
        await eventually(
            lambda: records.has_ended(unreviewed.name, count=COUNT), within_s=120, every_s=0.5
        )
        await wiped.stop("storage")
        unstored = batch_of(COUNT)
        await client.hand_in_all(unstored)
        await eventually(
            lambda: _is_sent_to_storage(records, unstored.name), within_s=120, every_s=0.5
        )

        await wiped.stop_node("rabbitmq", kill=True)
        data = node_folder(wiped.state, "rabbitmq", node_account()) / "data"
        await asyncio.to_thread(shutil.rmtree, data)
        await wiped.up()

        # A loss is only seen when others come through after it.
        later = batch_of(COUNT)
        await client.hand_in_all(later)
        for batch in (later, unstored, unreviewed):
            await _all_end_with_one_item(client, records, batch.name)


async def _is_sent_to_storage(records: Records, batch: str) -> bool:
    """Read, and their orders are with the broker."""
    ids = [*await records.documents(batch)]
    stages = await records.rows(
        "SELECT count(*) AS here FROM ingest.documents"
        " WHERE document_id = ANY ($1) AND stage = 'store'",
        ids,
    )
    [owed] = await records.rows("SELECT count(*) AS owed FROM extractor.outbox")
    return (stages[0]["here"], owed["owed"]) == (COUNT, 0)


async def _all_end_with_one_item(client: Client, records: Records, batch: str) -> None:
    ids = await records.documents(batch)

    async def is_each_done_once() -> bool:
        statuses = await records.statuses(batch)
        assert statuses == Counter(completed=len(ids)), statuses
        for table in ("storage.stored_results", "review.review_items"):
            rows = await records.rows(
                f"SELECT document_id, count(*) AS times FROM {table}"
                " WHERE document_id = ANY ($1) GROUP BY document_id",
                [*ids],
            )
            times = {row["document_id"]: row["times"] for row in rows}
            assert times == dict.fromkeys(ids, 1), (table, len(times))
        return True

    # One of them a second, and those that never came to review when the first of the others
    # have got there.
    await eventually(is_each_done_once, within_s=180, every_s=1)
    letters = "SELECT count(*) AS open FROM monitor.dead_letters WHERE state = 'open'"
    assert [row["open"] for row in await records.rows(letters)] == [0]
    assert await client.get("monitor", "/ops/v1/overview")
