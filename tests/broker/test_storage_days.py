"""Manifests and leftovers on a real PostgreSQL and folder, read by DuckDB as analysts do."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import pytest

from services.storage.adapters.result_index import PostgresResultIndex
from services.storage.domain.layout import DEFAULT
from services.storage.domain.results import Unpublished
from services.storage.handlers.collecting import (
    catch_up_days,
    collect_strays,
    measure_tables,
)
from services.storage.handlers.compacting import compact_days
from services.storage.handlers.manifests import write_manifests
from shared import failpoints
from shared.blobs.filesystem import FilesystemBlobs
from shared.errors import Retryable
from shared.failpoints import FailpointHit
from tests.broker.day_world import DAY, DayWorld, day_world, sums_of

NEXT = DAY + timedelta(days=1)


@pytest.fixture
async def world(database_url: str, tmp_path: Path) -> AsyncIterator[DayWorld]:
    async with day_world(database_url, tmp_path) as world:
        yield world
    failpoints.disarm()


async def test_a_manifest_lists_each_published_document_with_what_it_measures(
    world: DayWorld,
) -> None:
    kept = await world.keep(3)
    await world.keep(2, day=DAY + timedelta(days=1))

    assert await write_manifests(world.use) == 2

    manifest = await world.manifest()
    assert {one["document_id"] for one in manifest["documents"]} == {str(one) for one in kept}
    for one in manifest["documents"]:
        data = await world.blobs.read(one["key"])
        assert (one["size"], one["sha256"]) == (len(data), sha256(data).hexdigest())
        assert await world.blobs.read(one["path"]) == data
        said = json.loads(await world.blobs.read(one["json_key"]))
        assert (said["document_id"], said["version"]) == (one["document_id"], one["version"])
    assert sorted(manifest["files"]) == sorted(one["key"] for one in manifest["documents"])
    assert await world.sums_by_manifest() == sums_of(3)
    assert await write_manifests(world.use) == 0


async def test_a_manifest_rests_before_it_is_written_again(world: DayWorld) -> None:
    await world.keep(1)
    use = world.at_pace(manifest_debounce_s=3600)
    assert await write_manifests(use) == 1

    await world.keep(1)

    assert await write_manifests(use) == 0
    assert await write_manifests(world.use) == 1


async def test_a_document_that_changes_is_listed_all_the_time(world: DayWorld) -> None:
    [document_id] = await world.keep(1)
    await write_manifests(world.use)
    await world.schema.pool.execute(
        "UPDATE outputs SET version = 2, review_revision = 1, published_at = NULL"
    )
    await world.keep(1)

    await write_manifests(world.use)

    listed = {one["document_id"]: one for one in (await world.manifest())["documents"]}
    assert listed[str(document_id)]["version"] == 1
    assert await world.sums_by_manifest() == sums_of(2)


@pytest.mark.parametrize("name", ["manifest_written", "manifest_put"])
async def test_a_manifest_is_the_old_or_the_new_whatever_step_breaks(
    world: DayWorld, name: str
) -> None:
    await world.keep(2)
    await write_manifests(world.use)
    await world.keep(1)
    failpoints.arm(f"storage.{name}:raise")

    with pytest.raises(FailpointHit):
        await write_manifests(world.use)

    assert await world.sums_by_manifest() in (sums_of(2), sums_of(3))
    assert await write_manifests(world.use) == 1
    assert await world.sums_by_manifest() == sums_of(3)


async def test_what_was_published_before_files_were_measured_is_measured(
    world: DayWorld,
) -> None:
    await world.keep(2)
    await world.schema.pool.execute(
        "UPDATE outputs SET shown_size = NULL, shown_sha256 = NULL, "
        "shown_issue_date = 'infinity', shown_seller = ''"
    )
    await write_manifests(world.use)

    assert await measure_tables(world.use) == 2
    assert await measure_tables(world.use) == 0
    await write_manifests(world.use)

    for one in (await world.manifest())["documents"]:
        assert one["sha256"] == sha256(await world.blobs.read(one["key"])).hexdigest()


async def test_files_that_nobody_committed_are_erased_after_a_while(world: DayWorld) -> None:
    [kept] = await world.keep(1)
    stray = DEFAULT.version_key(uuid4(), 1, "parquet")
    of_a_kept_one = DEFAULT.version_key(kept, 2, "json")
    foreign = ("data/versions/readme", f"data/parquet/of-mine/{uuid4()}.parquet")
    # Put there behind the back of whoever was erasing the document.
    late = [DEFAULT.dated_key(uuid4(), DAY, suffix) for suffix in ("json", "parquet")]
    ours = {key async for key in world.blobs.list("data/")}
    for key in (stray, of_a_kept_one, *late, *foreign):
        await world.blobs.put(key, b"written, then killed")

    assert await collect_strays(world.at_pace(stray_after_s=3600)) == 0
    assert await collect_strays(world.use) == 4

    assert {key async for key in world.blobs.list("data/")} == ours | {*foreign}
    assert DEFAULT.dated_key(kept, DAY, "parquet") in ours


async def test_a_stray_that_somebody_writes_again_is_none(world: DayWorld) -> None:
    document_id = uuid4()
    key = DEFAULT.version_key(document_id, 1, "parquet")
    await world.blobs.put(key, b"written, then killed")
    await collect_strays(world.at_pace(stray_after_s=3600))

    async with world.schema.ledger.unit() as unit:
        await world.results.find_stored(unit, [(document_id, 1)])

    async with world.schema.ledger.unit() as unit:
        assert await world.use.leftovers.take_strays(unit, 0, 10) == []
    assert await world.blobs.size(key)


async def test_a_day_whose_file_is_replaced_does_not_hold_up_the_others(
    world: DayWorld,
) -> None:
    await world.keep(1)
    await write_manifests(world.use)
    await world.keep(1)
    await world.keep(2, day=NEXT)

    async with world.schema.ledger.unit() as replacing:
        await world.use.days.lock_day(replacing, DAY.date())
        assert await write_manifests(world.use) == 1

    assert await world.sums_by_manifest(NEXT) == sums_of(2)
    assert await write_manifests(world.use) == 1
    assert await world.sums_by_manifest() == sums_of(2)


class Late(FilesystemBlobs):
    """A manifest lands when somebody else has long written a newer one."""

    def __init__(self, root: Path, happens: Callable[[], Awaitable[object]]) -> None:
        super().__init__(root)
        self._happens = happens

    async def put_file(self, key: str, path: Path) -> None:
        await self._happens()
        await super().put_file(key, path)


async def test_a_manifest_that_lands_late_is_written_anew(world: DayWorld) -> None:
    await world.keep(1)

    async def lose_the_lock() -> None:
        await world.schema.owner.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' "
            "AND objid = (hashtext(current_schema())::bigint & 4294967295)::oid"
        )
        await world.keep(1)
        assert await write_manifests(world.use) == 1

    late = Late(world.root, lose_the_lock)
    with pytest.raises(Retryable):
        await write_manifests(replace(world.use, blobs=late))

    assert await world.sums_by_manifest() == sums_of(1)
    assert await write_manifests(world.use) == 1
    assert await world.sums_by_manifest() == sums_of(2)


async def test_what_replicas_of_before_publish_is_shown(world: DayWorld) -> None:
    [fresh, changed] = await world.keep(2)
    await world.keep(1, document_id=changed, version=2)
    # What they know of is the version, and that it is published.
    await world.schema.pool.execute(
        "UPDATE outputs SET shown_version = NULL, shown_size = NULL, shown_sha256 = NULL, "
        "json_key = NULL, parquet_key = NULL WHERE document_id = $1",
        fresh,
    )
    await world.schema.pool.execute(
        "UPDATE outputs SET shown_version = 1, json_key = 'data/new/a.json', "
        "parquet_key = 'data/new/a.parquet' WHERE document_id = $1",
        changed,
    )
    await world.schema.pool.execute("DELETE FROM day_changes")
    assert await catch_up_days(world.use) == 0
    await index(world)

    assert await catch_up_days(world.use) == 2
    assert await catch_up_days(world.use) == 0

    await write_manifests(world.use)
    assert await world.sums_by_manifest() == sums_of(2)
    paths = {one["document_id"]: one["path"] for one in (await world.manifest())["documents"]}
    assert paths[str(fresh)] == DEFAULT.dated_key(fresh, DAY, "parquet")
    async with world.schema.ledger.unit() as unit:
        [behind] = await world.results.lock_unpublished(unit, [fresh, changed])
    assert behind == Unpublished(
        changed,
        2,
        DAY,
        *(DEFAULT.dated_key(changed, DAY, suffix) for suffix in ("json", "parquet")),
    )


async def test_what_replicas_of_before_erase_is_shown_no_more(world: DayWorld) -> None:
    [erased, kept] = await world.keep(2)
    await index(world)
    await world.schema.pool.execute(
        "INSERT INTO approvals (document_id, version, owner_id, verdict) "
        "SELECT document_id, 1, 'a', 'approved' FROM outputs"
    )
    while await write_manifests(world.use) + await compact_days(world.use):
        pass
    assert await catch_up_days(world.use) == 0
    for table in ("outputs", "stored_results"):
        await world.schema.pool.execute(f"DELETE FROM {table} WHERE document_id = $1", erased)

    assert await catch_up_days(world.use) == 1
    busy = world.at_pace(compact_quiet_s=3600, manifest_debounce_s=3600)
    while await write_manifests(busy) + await compact_days(busy):
        pass

    assert await world.sums_by_manifest() == world.sums_of_compacted() == sums_of(1)
    [left] = await world.schema.pool.fetch("SELECT document_id FROM result_index")
    assert left["document_id"] == kept
    gone = await world.schema.pool.fetchval(
        "SELECT erased_at FROM approvals WHERE document_id = $1", erased
    )
    assert gone is not None


async def index(world: DayWorld) -> None:
    async with world.schema.ledger.unit() as unit:
        await PostgresResultIndex(world.schema.pool).index_missing(unit, 10)
