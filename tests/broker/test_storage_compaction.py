"""Merging days on a real PostgreSQL and folder: readers find old or new, and the same sums."""

import asyncio
import io
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from services.storage.adapters.merging import ParquetMerger
from services.storage.domain.layout import DEFAULT, compacted_key
from services.storage.handlers.compacting import compact_days
from services.storage.handlers.manifests import write_manifests
from services.storage.ports.days import MergedFile
from shared import failpoints
from shared.failpoints import FailpointHit
from tests.broker.day_world import DAY, DayWorld, day_world, sums_of

Sums = Callable[[], Awaitable[tuple[int, int, Decimal]]]


@pytest.fixture
async def world(database_url: str, tmp_path: Path) -> AsyncIterator[DayWorld]:
    async with day_world(database_url, tmp_path) as world:
        yield world
    failpoints.disarm()


async def test_a_closed_day_becomes_one_sorted_file_and_the_sums_stay(world: DayWorld) -> None:
    await world.keep(40)
    await write_manifests(world.use)
    before = await world.sums_by_manifest()

    assert await compact_days(world.use) == 1
    between = await world.sums_by_manifest()
    await world.settle()

    manifest = await world.manifest()
    assert manifest["files"] == [compacted_key(DAY.date())]
    assert manifest["compacted"]["rows"] == len(manifest["documents"]) == 40
    data = await world.compacted()
    assert data is not None
    assert manifest["compacted"]["sha256"] == sha256(data).hexdigest()
    after = await world.sums_by_manifest()
    assert before == between == after == world.sums_by_document() == sums_of(40)
    rows = pq.read_table(io.BytesIO(data)).select(["issue_date", "seller_name", "document_id"])
    order = [tuple(row.values()) for row in rows.to_pylist()]
    assert order == sorted(order)
    assert await compact_days(world.use) == 0


async def test_a_day_is_left_alone_until_it_is_over_and_quiet(world: DayWorld) -> None:
    await world.keep(1, day=world.use.clock.now())
    await world.keep(1)
    await write_manifests(world.use)

    assert await compact_days(world.at_pace(compact_quiet_s=3600)) == 0
    assert await compact_days(world.use) == 1
    assert await compact_days(world.use) == 0


async def test_a_late_decision_sends_readers_back_until_the_day_is_merged_anew(
    world: DayWorld,
) -> None:
    [document_id, *_] = await world.keep(5)
    await world.settle()
    old = await world.compacted()

    await world.keep(1, document_id=document_id, version=2, total="219.00")
    assert (await world.manifest())["files"] == [compacted_key(DAY.date())]
    await write_manifests(world.use)
    assert len((await world.manifest())["files"]) == 5
    changed = await world.sums_by_manifest()
    assert await world.compacted() == old
    await world.settle()

    assert (await world.manifest())["files"] == [compacted_key(DAY.date())]
    assert await world.sums_by_manifest() == changed == sums_of(5, Decimal(100))
    assert world.sums_of_compacted() == changed


class Interrupted(ParquetMerger):
    """Something happens when all files of a day have been read, and none is put yet."""

    def __init__(self, happens: Callable[[], Awaitable[object]]) -> None:
        super().__init__()
        self._happens = happens

    @asynccontextmanager
    async def merged(self, path: Path) -> AsyncIterator[MergedFile]:  # type: ignore[override]
        async with super().merged(path) as merged:
            yield merged
            await self._happens()


@pytest.mark.parametrize("counted", [True, False])
async def test_a_change_while_a_day_is_merged_is_never_lost(
    world: DayWorld, *, counted: bool
) -> None:
    [document_id, *_] = await world.keep(5)
    await write_manifests(world.use)

    async def change() -> None:
        await world.keep(1, document_id=document_id, version=2, total="219.00")
        if counted:
            await write_manifests(world.use)

    assert await compact_days(replace(world.use, merger=Interrupted(change))) == 0
    assert await world.compacted() is None
    await world.settle()

    assert world.sums_of_compacted() == sums_of(5, Decimal(100))
    assert await world.sums_by_manifest() == sums_of(5, Decimal(100))


async def test_what_is_erased_leaves_the_compacted_file_however_busy_the_day_is(
    world: DayWorld,
) -> None:
    [erased, *_] = await world.keep(4)
    await world.settle()
    busy = world.at_pace(compact_quiet_s=3600, manifest_debounce_s=3600)

    await world.erase(erased)
    await write_manifests(busy)
    await compact_days(busy)

    assert world.sums_of_compacted() == sums_of(3)
    data = await world.compacted()
    assert data is not None
    assert str(erased) not in pq.read_table(io.BytesIO(data)).column("document_id").to_pylist()


async def test_what_is_erased_leaves_a_file_that_cannot_be_merged_anew(
    world: DayWorld, caplog: pytest.LogCaptureFixture
) -> None:
    [erased, lost, _] = await world.keep(3)
    await world.settle()
    data = await world.blobs.read(key := DEFAULT.version_key(lost, 1, "parquet"))
    await world.blobs.delete(key)

    await world.erase(erased)
    await world.settle()
    await world.settle()

    assert await world.compacted() is None
    assert len((await world.manifest())["files"]) == 2
    assert [one.message for one in caplog.records].count("day_not_compacted") == 1
    await world.blobs.put(key, data)
    await world.schema.pool.execute("UPDATE days SET failed_at = now() - interval '2 days'")
    await world.settle()
    assert world.sums_of_compacted() == await world.sums_by_manifest() == sums_of(2)


async def test_a_day_without_documents_leaves_nothing(world: DayWorld) -> None:
    [erased] = await world.keep(1)
    await world.settle()

    await world.erase(erased)
    await world.settle()

    assert [key async for key in world.blobs.list("data/compacted/")] == []
    assert [key async for key in world.blobs.list("data/manifests/")] == []


async def test_a_day_that_lacks_a_file_is_not_merged_and_others_are(
    world: DayWorld, caplog: pytest.LogCaptureFixture
) -> None:
    [lost, *_] = await world.keep(2)
    [torn, *_] = await world.keep(2, day=DAY + timedelta(days=1))
    await world.keep(2, day=DAY + timedelta(days=2))
    await world.blobs.delete(DEFAULT.version_key(lost, 1, "parquet"))
    await world.blobs.put(DEFAULT.version_key(torn, 1, "parquet"), b"PAR1 torn")
    await write_manifests(world.use)

    assert await compact_days(world.use) == 1

    assert world.sums_of_compacted() == sums_of(2)
    assert [one.reason for one in caplog.records if one.message == "day_not_compacted"] == [  # type: ignore[attr-defined]  # an extra of ours
        "source_missing",
        "source_corrupt",
    ]


@pytest.mark.parametrize(
    "name", ["compacting", "compacted_written", "compacted_put", "compaction_noted"]
)
async def test_readers_see_old_or_new_whatever_step_of_merging_breaks(
    world: DayWorld, name: str
) -> None:
    [document_id, *_] = await world.keep(5)
    await world.settle()
    await world.keep(1, document_id=document_id, version=2, total="219.00")
    await write_manifests(world.use)
    failpoints.arm(f"storage.{name}:raise")

    with pytest.raises(FailpointHit):
        await compact_days(world.use)

    assert await world.sums_by_manifest() == sums_of(5, Decimal(100))
    assert world.sums_of_compacted() in (sums_of(5), sums_of(5, Decimal(100)))
    assert list(world.use.scratch.iterdir()) == []
    await world.settle()
    assert await world.sums_by_manifest() == sums_of(5, Decimal(100))
    assert world.sums_of_compacted() == sums_of(5, Decimal(100))


async def test_readers_of_a_day_lack_nothing_while_it_is_merged_and_changed(
    world: DayWorld,
) -> None:
    documents = await world.keep(30)
    await world.settle()
    seen: set[tuple[int, int, Decimal]] = set()

    async def read() -> None:
        while True:
            await look(world.manifest, world.sums_by_manifest)
            await look(world.compacted, lambda: asyncio.to_thread(world.sums_of_compacted))
            read_once.set()

    async def look(state: Callable[[], Awaitable[object]], query: Sums) -> None:
        before = await state()
        try:
            seen.add(await query())
        except duckdb.Error:
            # DuckDB opens a file by its name more than once: a query during which the merged
            # one is replaced may fail, and is asked again. If nothing was, a file is lacking.
            if await state() == before:
                raise

    read_once = asyncio.Event()
    reading = asyncio.create_task(read())
    for changed in range(1, 6):
        await world.keep(1, document_id=documents[changed], version=2, total=f"{119 + 100}.00")
        await world.settle()
    read_enough = asyncio.create_task(read_once.wait())
    await asyncio.wait({reading, read_enough}, return_when=asyncio.FIRST_COMPLETED)
    read_enough.cancel()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    assert seen <= {sums_of(30, Decimal(100 * changed)) for changed in range(6)}
    assert await world.sums_by_manifest() == sums_of(30, Decimal(500))


async def test_two_replicas_take_turns(world: DayWorld) -> None:
    await world.keep(3)

    written = await asyncio.gather(*(write_manifests(world.use) for _ in range(3)))
    merged = await asyncio.gather(*(compact_days(world.use) for _ in range(3)))

    assert (sum(written), sum(merged)) == (1, 1)
