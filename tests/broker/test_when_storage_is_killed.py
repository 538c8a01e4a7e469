"""Storage as a process, killed where it hurts: F9 at every step of write, index and publish, of
a manifest, of a compaction and of what is cleared up behind it.

Afterwards every document is there once, with both its files, and whoever reads the day by its
manifest or the merged file finds the same sums. A step that the code names and nobody dies at,
here or where it is said, is a failure too.
"""

import ast
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pytest

from services.storage.domain.layout import DEFAULT, compacted_key, manifest_key
from shared.blobs.open import open_blobs
from tests import builders
from tests.broker.day_world import sums
from tests.broker.storage_process import Outside, outside
from tests.eventually import eventually
from tests.house.repository import ROOT

STEPS = ("written", "published", "compacted_put")
OTHER_STEPS = (
    *("before_write", "before_commit", "committed", "manifest_written", "manifest_put"),
    *("compacting", "compacted_written", "compaction_noted"),
)
# Each with a test of its own, below.
CLEARING = ("pruning", "strays_erased")
ELSEWHERE = {
    "test_when_storage_is_killed_while_it_erases.py": (
        *("erasing", "file_erased", "files_erased", "erased", "erasure_reported"),
    ),
    "test_when_an_export_is_cut_off.py": ("export_page", "export_written"),
    "test_storage_handover.py": ("batch_before_commit", "batch_committed", "ack_before_commit"),
}
DOCUMENTS = 3
DAY = builders.ACCEPTED_AT.astimezone(UTC).date()
SUMS = (DOCUMENTS, DOCUMENTS, DOCUMENTS * Decimal("119.00"))
AT_ONCE = {
    "PAPERLINE_MANIFESTS_EVERY_S": "0.2",
    "PAPERLINE_MANIFEST_DEBOUNCE_S": "0",
    "PAPERLINE_COMPACT_EVERY_S": "0.2",
    "PAPERLINE_COMPACT_QUIET_S": "0",
    "PAPERLINE_COMPACT_SHARE": "1",
}
KILLED = -9


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Outside]:
    url = f"file://{tmp_path}/blobs"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = {"PAPERLINE_BLOBS_URL": url, "PAPERLINE_SCRATCH_FOLDER": str(scratch)}
    async with outside(tmp_path, open_blobs(url), environment) as world:
        yield world


async def _is_compacted(world: Outside) -> bool:
    row = await world.pool.fetchrow(
        "SELECT * FROM days WHERE manifest_compacted AND compacted_revision = revision "
        "AND compacted_rows = $1",
        DOCUMENTS,
    )
    return row is not None


def _paths(world: Outside, *keys: str) -> Sequence[str]:
    return [str(world.folder / "blobs" / key) for key in keys]


@pytest.mark.parametrize(
    "step", [*STEPS, *(pytest.param(step, marks=pytest.mark.slow) for step in OTHER_STEPS)]
)
async def test_what_was_begun_is_done_once_and_whole(world: Outside, step: str) -> None:
    ids = await world.order(DOCUMENTS)
    async with world.storage(failpoint=f"storage.{step}:kill", **AT_ONCE) as process:
        assert await process.wait() == KILLED
    await world.require_nothing_torn()

    async with world.storage(**AT_ONCE):
        await eventually(lambda: world.are_whole(ids), within_s=60)
        await eventually(lambda: _is_compacted(world), within_s=60)

    await world.require_nothing_torn()
    reviews = sorted(document_id for document_id, _ in await world.orders_of_reviews())
    assert reviews == sorted(str(one) for one in ids)
    assert await world.dead() == 0
    assert await world.pool.fetchval("SELECT count(*) FROM stored_results") == DOCUMENTS
    assert await _versions(world) == {
        DEFAULT.version_key(one, 1, suffix) for one in ids for suffix in ("json", "parquet")
    }
    assert sums(*_paths(world, f"data/parquet/{DAY:%Y/%m/%d}/*.parquet")) == SUMS
    assert sums(*_paths(world, compacted_key(DAY))) == SUMS
    manifest = world.folder / "blobs" / manifest_key(DAY)
    assert manifest.read_text().count(compacted_key(DAY)) == 2


async def _versions(world: Outside) -> set[str]:
    return {key async for key in world.blobs.list(DEFAULT.all_versions)}


async def test_what_a_killed_writer_left_of_a_withdrawn_document_is_collected(
    world: Outside,
) -> None:
    stray = DEFAULT.version_key(UUID(int=1), 1, "parquet")
    await world.blobs.put(stray, b"written, and never committed")
    ids = await world.order(1)
    settings = {**AT_ONCE, "PAPERLINE_STRAY_AFTER_S": "3600"}

    async with world.storage(failpoint="storage.strays_erased:kill", **settings) as process:
        await eventually(lambda: _is_seen(world, stray), within_s=30)
        await world.pool.execute("UPDATE strays SET seen_at = now() - interval '2 hours'")
        assert await process.wait() == KILLED
    assert await _is_seen(world, stray)

    async with world.storage(**settings):
        await eventually(lambda: _is_collected(world, stray), within_s=30)
        await eventually(lambda: world.are_whole(ids), within_s=30)
    assert await _is_gone(world, stray)


async def test_a_pruning_that_was_cut_off_is_gone_on_with_and_readers_lack_nothing(
    world: Outside,
) -> None:
    ids = await world.order(DOCUMENTS)
    settings = {**AT_ONCE, "PAPERLINE_PRUNE_AFTER_DAYS": "1"}
    async with world.storage(failpoint="storage.pruning:kill", **settings) as process:
        await eventually(lambda: _is_compacted(world), within_s=60)
        await world.pool.execute("UPDATE days SET compacted_at = now() - interval '2 days'")
        assert await process.wait() == KILLED
    assert sums(*_paths(world, compacted_key(DAY))) == SUMS

    async with world.storage(**settings):
        await eventually(lambda: _is_pruned(world), within_s=60)

    assert [key async for key in world.blobs.list("data/parquet/")] == []
    assert sums(*_paths(world, compacted_key(DAY))) == SUMS
    assert await _versions(world) == {
        DEFAULT.version_key(one, 1, suffix) for one in ids for suffix in ("json", "parquet")
    }


def test_somebody_dies_at_every_step() -> None:
    tests = Path(__file__).parent
    steps = [step for named in ELSEWHERE.values() for step in named]

    assert sorted([*STEPS, *OTHER_STEPS, *CLEARING, *steps]) == sorted({*_steps()})
    for file, named in (*ELSEWHERE.items(), (Path(__file__).name, CLEARING)):
        text = (tests / file).read_text()
        for step in named:
            assert re.search(rf'"storage\.{step}(:kill(:\d+)?)?"', text), (file, step)


def _steps() -> Iterator[str]:
    """Every one at which the code can be told to die."""
    for path in (ROOT / "services" / "storage").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Name("failpoint"), args=[ast.Constant(str(step))]):
                    yield step.removeprefix("storage.")


async def _is_pruned(world: Outside) -> bool:
    return bool(await world.pool.fetchval("SELECT true FROM days WHERE pruned_at IS NOT NULL"))


async def _is_collected(world: Outside, key: str) -> bool:
    return not await _is_seen(world, key)


async def _is_seen(world: Outside, key: str) -> bool:
    return bool(await world.pool.fetchval("SELECT true FROM strays WHERE key = $1", key))


async def _is_gone(world: Outside, key: str) -> bool:
    return await world.blobs.size(key) is None
