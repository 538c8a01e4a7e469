"""A database on a disk that fills up: writing fails cleanly, reading works, nothing is promised
and nothing acknowledged, and it goes on by itself when there is room."""

import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from shared.errors import Retryable
from shared.topology.queues import dead_queue
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.broker.own_postgres import own_postgres
from tests.broker.workers import orders_for, worker
from tests.builders import extract_document
from tests.eventually import eventually

SIZE_MB = 220
# More than fits into pages that are there already.
MANY = 4_000
FEW = 20


@dataclass(frozen=True, slots=True)
class World:
    bench: BusBench
    disk: Path

    @contextmanager
    def full(self) -> Iterator[None]:
        filling = self.disk / "filling"
        left = os.statvfs(self.disk)
        with filling.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, left.f_bavail * left.f_frsize)
        try:
            yield
        finally:
            filling.unlink()

    async def has_effects(self, count: int) -> bool:
        try:
            return len(await self.bench.effects()) == count
        except Retryable:
            return False


@contextmanager
def mounted(folder: Path) -> Iterator[None]:
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m", "tmpfs", str(folder)]
    tried = subprocess.run(command, capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"no tmpfs may be mounted here: {tried.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
async def world(amqp_url: str) -> AsyncIterator[World]:
    async with own_postgres() as server:
        with mounted(server.folder):
            await server.start()
            try:
                async with bus_bench(amqp_url, server.url, work_queue()) as bench:
                    yield World(bench, server.folder)
            finally:
                await server.stop()


@pytest.mark.slow
async def test_it_stalls_and_goes_on_and_nothing_is_done_twice(world: World) -> None:
    bench = world.bench
    before = [extract_document() for _ in range(FEW)]
    refused = [extract_document() for _ in range(MANY)]
    after = [extract_document() for _ in range(FEW)]

    async with worker(orders_for(bench)):
        await bench.owe(*before)
        await eventually(lambda: world.has_effects(FEW), within_s=30)
        with world.full():
            with pytest.raises(Retryable, match="DiskFull"):
                await bench.owe(*refused)
            # Whoever only reads does not notice.
            assert len(await bench.effects()) == FEW
        await eventually(partial(bench.owed, *after), within_s=30)
        await eventually(lambda: world.has_effects(2 * FEW), within_s=60)
        await eventually(bench.is_quiet, within_s=30)

    done = await bench.pool.fetch("SELECT document_id FROM effects")
    wanted = [one.document_id for one in (*before, *after)]
    assert sorted(row["document_id"] for row in done) == sorted(wanted)
    assert await bench.depth(dead_queue(bench.queue.name)) == 0
