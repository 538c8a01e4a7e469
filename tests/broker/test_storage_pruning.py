"""Files by document that are removed once their day is merged: readers of the store lack
nothing, and what changes later comes back."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from services.storage.domain.layout import DEFAULT
from services.storage.handlers.compacting import prune_days
from services.storage.handlers.manifests import write_manifests
from tests.analyst import asked
from tests.broker.day_world import DAY, TOTAL, DayWorld, day_world, sums_of


@pytest.fixture
async def world(database_url: str, tmp_path: Path) -> AsyncIterator[DayWorld]:
    async with day_world(database_url, tmp_path) as world:
        yield world


async def test_files_by_document_go_when_that_is_wanted_and_a_change_brings_them_back(
    world: DayWorld,
) -> None:
    [document_id, *_] = await world.keep(3)
    await world.settle()
    use = world.at_pace(prune_after_days=1)
    assert await prune_days(world.use) + await prune_days(use) == 0
    await world.schema.pool.execute("UPDATE days SET compacted_at = now() - interval '2 days'")

    assert await prune_days(use) == 1

    assert [key async for key in world.blobs.list("data/parquet/")] == []
    assert await world.sums_by_manifest() == sums_of(3)
    await world.keep(1, document_id=document_id, version=2, total="219.00")
    await write_manifests(world.use)
    assert len((await world.manifest())["files"]) == 3
    assert await world.sums_by_manifest() == sums_of(3, Decimal(100))
    assert await prune_days(use) == 0


async def test_by_its_manifests_a_store_is_read_whole_whatever_became_of_its_days(
    world: DayWorld,
) -> None:
    days = [DAY + timedelta(days=one) for one in range(3)]
    for day in days[:2]:
        [document_id, *_] = await world.keep(4, day=day, currency="EUR")
    await world.settle()
    await world.schema.pool.execute("UPDATE days SET compacted_at = now() - interval '2 days'")
    await prune_days(world.at_pace(prune_after_days=1))
    # Merged and pruned is the first; the second was, and has changed; the third is by document.
    await world.keep(
        1, day=days[1], document_id=document_id, version=2, total="219.00", currency="EUR"
    )
    await world.keep(3, day=days[2], currency="EUR")
    await write_manifests(world.use)

    found = await asyncio.to_thread(asked, world.root, "documents_per_day")

    assert [
        (str(one["day"]), one["documents"], one["different"], one["total"]) for one in found
    ] == [
        (str(days[0].date()), 4, 4, 4 * TOTAL),
        (str(days[1].date()), 4, 4, 4 * TOTAL + 100),
        (str(days[2].date()), 3, 3, 3 * TOTAL),
    ]


async def test_what_is_published_anew_while_a_day_is_pruned_stays(world: DayWorld) -> None:
    [document_id, *_] = await world.keep(3)
    await world.settle()
    await world.schema.pool.execute("UPDATE days SET compacted_at = now() - interval '2 days'")

    async with world.schema.ledger.unit() as publishing:
        await publishing.connection.execute(
            "SELECT FROM outputs WHERE document_id = $1 FOR UPDATE", document_id
        )
        assert await prune_days(world.at_pace(prune_after_days=1)) == 1

    left = [key async for key in world.blobs.list("data/parquet/")]
    assert left == [DEFAULT.dated_key(document_id, DAY, "parquet")]
