"""Storage killed at every step of an erasure: it is gone on with, and reported when it is over.

The document stands in its version, under its dated path, in the manifest of its day and in the
merged file of that day; what remains in the end is its neighbours, and nothing of it.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from uuid import UUID

import pyarrow.parquet as pq
import pytest

from shared.blobs.open import open_blobs
from tests import builders
from tests.broker.storage_process import Outside, outside
from tests.eventually import eventually

NEIGHBOURS = 3
# Everything that is done now and then is done at once, so that an erasure ends soon.
_DAYS: list[int] = []
QUICK = {
    "PAPERLINE_MANIFESTS_EVERY_S": "0.1",
    "PAPERLINE_MANIFEST_DEBOUNCE_S": "0",
    "PAPERLINE_COMPACT_AFTER_S": "0",
    "PAPERLINE_COMPACT_QUIET_S": "0",
    "PAPERLINE_COMPACT_EVERY_S": "0.1",
    "PAPERLINE_COMPACT_SHARE": "1",
}
NOTHING_IS_MERGED = {"PAPERLINE_COMPACT_QUIET_S": "3600"}
STEPS = ["storage.file_erased:kill:3", "storage.compacted_put", "storage.erasure_reported"]
OTHER_STEPS = [
    "storage.erasing",
    "storage.file_erased",
    "storage.files_erased",
    "storage.erased",
    "storage.manifest_written",
    "storage.manifest_put",
    "storage.compacting",
    "storage.compacted_written",
    "storage.compaction_noted",
    "relay.published",
]


@dataclass(frozen=True, slots=True)
class Day:
    """One of its own for each test, in one storage: its manifest and its merged file."""

    outside: Outside
    accepted_at: datetime

    @property
    def manifest_key(self) -> str:
        return f"data/manifests/{self.accepted_at:%Y/%m/%d}.json"

    @property
    def merged_key(self) -> str:
        return f"data/compacted/date={self.accepted_at:%Y-%m-%d}/invoices.parquet"

    async def merged(self) -> set[str]:
        blobs = self.outside.blobs
        if await blobs.size(self.merged_key) is None:
            return set()
        table = pq.read_table(BytesIO(await blobs.read(self.merged_key)))
        return set(table.column("document_id").to_pylist())

    async def is_merged(self, ids: list[UUID]) -> bool:
        """The manifest sends readers to a merged file that holds these and no others."""
        blobs = self.outside.blobs
        if await blobs.size(self.manifest_key) is None:
            return False
        files = json.loads(await blobs.read(self.manifest_key))["files"]
        return files == [self.merged_key] and await self.merged() == {str(one) for one in ids}


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Outside]:
    folder: Path = tmp_path_factory.mktemp("erasing")
    url = f"file://{folder}/blobs"
    environment = {"PAPERLINE_BLOBS_URL": url, **QUICK}
    async with outside(folder, open_blobs(url), environment) as world:
        yield world


@pytest.fixture
def day(world: Outside) -> Day:
    _DAYS.append(len(_DAYS))
    return Day(world, builders.ACCEPTED_AT - timedelta(days=len(_DAYS)))


async def _is_reported(world: Outside, document_id: UUID, told: list[str]) -> bool:
    told += [one["document_id"] for one in await world.told("document.erased")]
    return str(document_id) in told


async def _copies(world: Outside, document_id: UUID) -> list[str]:
    """Whatever lies in the store and names the document, in its key or in what it holds."""
    found = []
    async for key in world.blobs.list(""):
        data = await world.blobs.read(key)
        if str(document_id) in key or str(document_id).encode() in data:
            found.append(key)
        elif key.endswith(".parquet"):
            ids = pq.read_table(BytesIO(data)).column("document_id").to_pylist()
            found += [key] if str(document_id) in ids else []
    return found


async def _stored(world: Outside, day: Day, count: int) -> list[UUID]:
    ids = await world.order(count, day.accepted_at)
    async with world.storage():
        await eventually(lambda: world.are_whole(ids), within_s=60)
        await eventually(lambda: day.is_merged(ids), within_s=60)
    await world.told("document.stored")
    return ids


@pytest.mark.parametrize(
    "step", [*STEPS, *(pytest.param(step, marks=pytest.mark.slow) for step in OTHER_STEPS)]
)
async def test_an_erasure_that_was_cut_off_is_gone_on_with(
    world: Outside, day: Day, step: str
) -> None:
    document_id, *others = await _stored(world, day, 1 + NEIGHBOURS)
    told: list[str] = []
    failpoint = step if ":" in step else f"{step}:kill"

    await world.send([builders.deleted(document_id=document_id, accepted_at=day.accepted_at)])
    async with world.storage(failpoint=failpoint) as process:
        await eventually(lambda: process.returncode is not None, within_s=60)
    assert process.returncode == -9
    if await _is_reported(world, document_id, told):
        assert not await _copies(world, document_id)

    async with world.storage():
        await eventually(lambda: _is_reported(world, document_id, told), within_s=60)
        # Not a moment before: whoever reads the report may rely on it.
        assert not await _copies(world, document_id)
        await eventually(lambda: day.is_merged(others), within_s=60)

    assert await world.are_whole(others)
    await world.require_nothing_torn()
    assert await world.pool.fetchval("SELECT count(*) FROM erasures") == 0
    tables = ("stored_results", "outputs", "version_numbers", "result_index")
    for table in tables:
        left = await world.pool.fetchval(
            f"SELECT count(*) FROM {table} WHERE document_id = $1",
            document_id,
        )
        assert not left, table


async def test_the_last_document_of_a_day_takes_its_files_along(
    world: Outside, day: Day
) -> None:
    [document_id] = await _stored(world, day, 1)
    told: list[str] = []

    await world.send([builders.deleted(document_id=document_id, accepted_at=day.accepted_at)])
    async with world.storage():
        await eventually(lambda: _is_reported(world, document_id, told), within_s=60)

        assert not await _copies(world, document_id)
        assert await world.blobs.size(day.merged_key) is None
        assert await world.blobs.size(day.manifest_key) is None


async def test_what_storage_never_had_is_reported_all_the_same(world: Outside) -> None:
    gone = builders.deleted()
    told: list[str] = []

    await world.send([gone])
    async with world.storage():
        await eventually(lambda: _is_reported(world, gone.document_id, told), within_s=60)


async def test_a_merged_file_that_nobody_counts_holds_no_erased_document(
    world: Outside, day: Day
) -> None:
    ids = await world.order(2, day.accepted_at)
    # Two orders may come in two batches, and the first of them would be merged by itself.
    async with world.storage(**NOTHING_IS_MERGED):
        await eventually(lambda: world.are_whole(ids), within_s=60)
    async with world.storage(failpoint="storage.compacted_put:kill") as process:
        await eventually(lambda: process.returncode is not None, within_s=60)
    assert await day.merged() == {str(one) for one in ids}
    told: list[str] = []

    await world.send([builders.deleted(document_id=ids[0], accepted_at=day.accepted_at)])
    # The file that lies there is not written anew.
    async with world.storage(**NOTHING_IS_MERGED):
        await eventually(lambda: _is_reported(world, ids[0], told), within_s=60)

        assert not await _copies(world, ids[0])
