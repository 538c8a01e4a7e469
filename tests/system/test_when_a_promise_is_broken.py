"""Each promise is broken by hand, and the verification names it, its offender and no other.

Every check has something that it has to see, named as "I1 told_twice": a rule of the house.
"""

import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

import pytest

from deploy.verify.history import History
from deploy.verify.verifying import orders_for
from tests.eventually import eventually
from tests.system.breakages import AT_REST, AT_WORK
from tests.system.client import Client
from tests.system.history import Recorder
from tests.system.invoices import batch_of
from tests.system.kept import World, kept_world
from tests.system.records import Records
from tests.system.stack import Stack
from tests.system.verdict import (
    AT_ONCE,
    AT_WORK_AT_ONCE,
    Broken,
    broken_by,
    sources,
)

pytestmark = pytest.mark.slow
# On which a document was accepted, and how many that day shows.
DAY_OF = """
SELECT (one.accepted_at AT TIME ZONE 'UTC')::date AS day, count(*) AS documents
  FROM storage.outputs one
  JOIN storage.outputs other
    ON (one.accepted_at AT TIME ZONE 'UTC')::date = (other.accepted_at AT TIME ZONE 'UTC')::date
 WHERE one.document_id = $1
   AND other.shown_version IS NOT NULL
 GROUP BY day
"""

Harm: TypeAlias = Callable[[Path], AbstractAsyncContextManager[None]]


@pytest.fixture(scope="module")
async def world(client: Client, stack: Stack, records: Records) -> World:
    return await kept_world(client, stack, records)


async def test_a_stack_at_work_keeps_all_it_promised(
    client: Client, stack: Stack, records: Records, world: World
) -> None:
    batch = batch_of(12)
    await client.hand_in_all(batch)
    under_way = await records.statuses(batch.name)

    orders = replace(orders_for(at_rest=False, deep=False, say=False), pauses=(3.0,))
    found = await world.judged(sources(stack), orders)

    assert under_way["queued"] + under_way["processing"] > 0
    assert found == {}
    await eventually(lambda: records.has_ended(batch.name, count=12), within_s=60)
    await eventually(records.is_quiet, within_s=30, every_s=0.25)
    # Of what is in hand the broker's API tells for some seconds longer.
    await eventually(lambda: _nothing_is_left(stack, world), within_s=30, every_s=0.5)


async def _nothing_is_left(stack: Stack, world: World) -> bool:
    assert await world.judged(sources(stack)) == {}
    return True


@pytest.mark.parametrize("what", AT_REST)
async def test_what_is_broken_at_rest_is_named_and_nothing_else(
    what: str, stack: Stack, world: World
) -> None:
    breakage = AT_REST[what]

    async with broken_by(stack, world.named(breakage.sql)) as given:
        found = await world.judged(given)

    assert {one.split()[0] for one in found} == {breakage.promise}, found
    assert breakage.check in found, found
    if breakage.offender is not None:
        assert set.union(*found.values()) == {world.named(breakage.offender)}


@pytest.mark.parametrize("what", AT_WORK)
async def test_what_is_broken_at_work_is_named_and_nothing_else(
    what: str, stack: Stack, world: World
) -> None:
    breakage = AT_WORK[what]

    async with broken_by(stack, world.named(breakage.sql)) as given:
        found = await world.judged(given, AT_WORK_AT_ONCE)

    assert found == {breakage.check: {world.named(str(breakage.offender))}}


@asynccontextmanager
async def away(path: Path) -> AsyncIterator[None]:
    # What begins with a dot is no object.
    hidden = path.with_name(f".{path.name}")
    path.rename(hidden)
    try:
        yield
    finally:
        hidden.rename(path)


@asynccontextmanager
async def one_byte_other(path: Path) -> AsyncIterator[None]:
    before = path.read_bytes()
    # Its second name is not touched: what both show differs from now on.
    async with away(path):
        path.write_bytes(before[:-1] + bytes([before[-1] ^ 1]))
        yield


@pytest.mark.parametrize("harm", [away, one_byte_other])
async def test_a_content_that_is_not_as_it_was_sent_is_named(
    harm: Harm, stack: Stack, world: World
) -> None:
    async with harm(world.content):
        found = await world.judged(sources(stack))

    # The copy stands on the same bytes.
    both = {str(world.read), str(world.copy)}
    assert found == {"I3 contents": both, "I3 promised_bytes": both}


@pytest.mark.parametrize("harm", [away, one_byte_other])
@pytest.mark.parametrize("suffix", ["json", "parquet"])
async def test_a_result_that_is_not_as_it_was_kept_is_named(
    harm: Harm, suffix: str, stack: Stack, world: World
) -> None:
    [path] = stack.blobs.glob(f"data/{suffix}/*/*/*/{world.read}.{suffix}")

    async with harm(path):
        found = await world.judged(sources(stack))

    assert found == {"I5 results": {str(world.read)}}


@pytest.mark.parametrize(
    ("harm", "check"), [(away, "I5 results"), (one_byte_other, "I14 rewritten")]
)
@pytest.mark.parametrize("suffix", ["json", "parquet"])
async def test_a_version_that_is_not_as_it_was_kept_is_named(
    harm: Harm, check: str, suffix: str, stack: Stack, world: World
) -> None:
    [path] = stack.blobs.glob(f"data/versions/{world.read}/*.{suffix}")

    async with harm(path):
        found = await world.judged(sources(stack))

    assert found == {check: {str(world.read)}}


@asynccontextmanager
async def one_byte_other_under_every_name(path: Path) -> AsyncIterator[None]:
    with path.open("r+b") as file:
        first = file.read(1)
        file.seek(0)
        file.write(bytes([first[0] ^ 1]))
    try:
        yield
    finally:
        with path.open("r+b") as file:
            file.write(first)


@pytest.mark.parametrize("suffix", ["json", "parquet"])
async def test_what_was_rewritten_under_both_of_its_names_is_named_by_both(
    suffix: str, stack: Stack, world: World
) -> None:
    [path] = stack.blobs.glob(f"data/versions/{world.read}/*.{suffix}")
    [dated] = stack.blobs.glob(f"data/{suffix}/*/*/*/{world.read}.{suffix}")
    assert path.samefile(dated)

    async with one_byte_other_under_every_name(path):
        found = await world.judged(sources(stack))

    assert found == {"I5 results": {str(world.read)}, "I14 rewritten": {str(world.read)}}


async def test_a_version_of_before_its_digest_was_kept_is_held_against_what_is_shown(
    stack: Stack, world: World
) -> None:
    [path] = stack.blobs.glob(f"data/versions/{world.read}/*.json")
    of_before = f"""UPDATE storage.stored_results SET result_sha256 = NULL
                     WHERE document_id = '{world.read}'"""

    async with broken_by(stack, of_before) as given:
        whole = await world.judged(given)
        async with one_byte_other(path):
            found = await world.judged(given)

    assert (whole, found) == ({}, {"I5 results": {str(world.read)}})


async def test_what_nobody_names_and_nobody_collects_is_named(
    stack: Stack, world: World
) -> None:
    key, long_ago = f"data/versions/{uuid4()}/1.json", time.time() - 49 * 3600
    path = stack.blobs / key
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    os.utime(path, (long_ago, long_ago))
    try:
        found = await world.judged(sources(stack))
    finally:
        path.unlink()
        path.parent.rmdir()

    assert found == {"I5 left_over": {key}}


async def test_a_merged_day_that_is_not_what_was_merged_is_named(
    stack: Stack, records: Records, world: World
) -> None:
    [row] = await records.rows(DAY_OF, world.read)
    path = stack.blobs / f"data/compacted/date={row['day']}/invoices.parquet"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"merged")
    digest, other = sha256(b"merged").hexdigest(), sha256(b"other").hexdigest()
    try:
        found = [
            await _judged_of_a_day(stack, world, f"{size}, '{said}', {rows}")
            for size, said, rows in (
                (6, digest, row["documents"]),
                (7, digest, row["documents"]),
                (6, other, row["documents"]),
                (6, digest, row["documents"] + 1),
            )
        ]
    finally:
        path.unlink()
        path.parent.rmdir()

    named = {"I5 merged_days": {str(row["day"])}}
    assert found == [{}, named, named, named]


async def _judged_of_a_day(stack: Stack, world: World, measured: str) -> Broken:
    statement = f"""
        DELETE FROM storage.day_changes;
        DELETE FROM storage.days;
        INSERT INTO storage.days
               (day, revision, manifest_revision, manifest_compacted, compacted_revision,
                compacted_at, pruned_at, compacted_size, compacted_sha256, compacted_rows)
        SELECT (accepted_at AT TIME ZONE 'UTC')::date, 1, 1, true, 1, now(), now(), {measured}
          FROM storage.outputs
         WHERE document_id = '{world.read}'"""
    async with broken_by(stack, statement) as given:
        return await world.judged(given)


async def test_repairs_are_a_note_unless_somebody_counts_them(
    stack: Stack, world: World
) -> None:
    mended = f"UPDATE ingest.documents SET sweeps = 2 WHERE document_id = '{world.read}'"

    async with broken_by(stack, mended) as given:
        found = [
            await world.judged(given, replace(AT_ONCE, repairs_allowed=allowed))
            for allowed in (None, 2, 1)
        ]

    assert found == [{}, {}, {"I2 repairs": {str(world.read)}}]


async def test_what_a_test_breaks_on_purpose_is_excused(
    stack: Stack, world: World, tmp_path: Path
) -> None:
    recorder = Recorder(tmp_path / "history")
    recorder.innocent([world.failed])
    recorder.excuse(world.failed, "I13", why="it is locked on purpose")
    given = replace(sources(stack), history=History(recorder.path))

    assert await world.judged(given) == {}
