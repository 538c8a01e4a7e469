"""Storage on a small disk of its own, a real one in memory, that somebody else fills."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest

from shared.blobs.open import BlobOptions, open_blobs
from tests import builders
from tests.broker.storage_process import Outside, outside
from tests.eventually import eventually

DISK_BYTES = 24 << 20
DOCUMENTS = 6


async def _run(*command: str) -> int:
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    return await process.wait()


@pytest.fixture
async def disk(tmp_path: Path) -> AsyncIterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("only root may mount a disk in memory")
    folder = tmp_path / "disk"
    folder.mkdir()
    if await _run("mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder)):
        pytest.skip("this system lets nobody mount a disk in memory")
    try:
        yield folder
    finally:
        assert await _run("umount", str(folder)) == 0


@pytest.fixture
async def world(disk: Path, tmp_path: Path) -> AsyncIterator[Outside]:
    url = f"file://{disk}/blobs"
    blobs = open_blobs(url, BlobOptions(free_bytes_min=0))
    settings = {"PAPERLINE_BLOBS_URL": url, "PAPERLINE_MIND_BLOBS_EVERY_S": "0.2"}
    async with outside(tmp_path, blobs, settings) as world:
        yield world


def _fill(disk: Path, *, leave_bytes: int) -> Path:
    """Somebody else's file, on the same disk."""
    ballast = disk / "ballast"
    left = shutil.disk_usage(disk).free - leave_bytes
    with ballast.open("wb", buffering=0) as file:
        while left > 0:
            left -= file.write(b"." * min(left, 1 << 20))
    return ballast


@pytest.mark.parametrize(
    ("free_bytes_min", "leave_bytes", "said"),
    [(4 << 20, 2 << 20, "bytes are free"), (0, 0, "No space left on device")],
    ids=["short", "full"],
)
async def test_storage_stalls_while_the_disk_is_short_and_goes_on_by_itself(
    world: Outside, disk: Path, free_bytes_min: int, leave_bytes: int, said: str
) -> None:
    async with world.storage(PAPERLINE_BLOBS_FREE_BYTES_MIN=str(free_bytes_min)):
        before = await world.order(DOCUMENTS)
        await eventually(lambda: world.are_whole(before), within_s=60)
        waiting = await world.extract(DOCUMENTS)

        ballast = _fill(disk, leave_bytes=leave_bytes)
        during = await world.send(waiting)
        await eventually(world.is_paused, within_s=30)

        [(reason, detail)] = [
            (reason, detail)
            for queue, reason, detail in await world.pauses()
            if queue == "storage.store"
        ]
        assert reason == "blobs_away"
        assert said in detail
        await world.require_nothing_torn()
        # What makes room is not held up by the lack of it.
        await world.send([builders.deleted(document_id=before[0])])
        await eventually(lambda: _is_gone(world, before[0]), within_s=30)
        assert await world.is_paused()

        ballast.unlink()
        await eventually(lambda: world.are_whole(during), within_s=60)

    assert not await world.pauses()
    assert await world.dead() == 0
    assert await world.reviews() == len(world.ordered)
    assert {one["attempt"] for one in world.logged("delivery_finished")} == {1}
    await world.require_nothing_torn()


async def test_a_short_disk_is_told_of_before_anything_is_written(
    world: Outside, disk: Path
) -> None:
    async with world.storage(PAPERLINE_BLOBS_FREE_BYTES_MIN=str(4 << 20)):
        await eventually(lambda: world.logged("process_started"), within_s=30)

        ballast = _fill(disk, leave_bytes=2 << 20)
        await eventually(lambda: world.logged("blobs_cannot_be_written"), within_s=30)
        ballast.unlink()

        await eventually(lambda: world.logged("blobs_can_be_written"), within_s=30)


async def _is_gone(world: Outside, document_id: UUID) -> bool:
    return not await world.traces_of(document_id)
