"""What is written on the own disk: while that is full it waits, and nothing is killed."""

import asyncio
import errno
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from services.storage.adapters.encoders import FileEncoders
from services.storage.handlers.manifests import scratch
from services.storage.ports.days import DayPorts
from shared.ending import to_its_end
from shared.errors import Retryable


def on(folder: Path) -> DayPorts:
    return cast(DayPorts, SimpleNamespace(scratch=folder))


async def test_a_full_disk_under_a_day_is_for_later(tmp_path: Path) -> None:
    with pytest.raises(Retryable):
        async with scratch(on(tmp_path)) as folder:
            assert folder.is_dir()
            raise OSError(errno.ENOSPC, "No space left on device")

    assert list(tmp_path.iterdir()) == []


async def test_a_disk_that_is_away_is_for_later(tmp_path: Path) -> None:
    with pytest.raises(Retryable):
        async with scratch(on(tmp_path / "away")):
            pytest.fail("there is no folder")


async def test_a_workbook_without_a_disk_is_for_later(tmp_path: Path) -> None:
    encoder = FileEncoders(tmp_path / "away").open("xlsx", "documents")

    with pytest.raises(Retryable):
        await encoder.add([])


async def test_what_is_put_is_over_before_it_is_given_up() -> None:
    begun, may_end = asyncio.Event(), asyncio.Event()
    landed: list[str] = []

    async def put() -> None:
        begun.set()
        await may_end.wait()
        landed.append("old")

    async def write() -> None:
        try:
            await to_its_end(put(), within_s=5)
        finally:
            landed.append("given up")

    writing = asyncio.create_task(write())
    await begun.wait()
    writing.cancel()
    asyncio.get_running_loop().call_soon(may_end.set)
    with pytest.raises(asyncio.CancelledError):
        await writing

    assert landed == ["old", "given up"]
