"""Threads that wait for a disk: who asked is told, and they go when their owner does."""

import asyncio
import gc
import threading
from collections.abc import Callable
from threading import Barrier, Event, Thread

import pytest

from shared.blobs.disk_threads import DiskThreads
from tests.eventually import eventually


@pytest.fixture
def disk() -> Event:
    """Set when it answers."""
    return Event()


def _threads() -> set[Thread]:
    return {one for one in threading.enumerate() if one.name == "blobs"}


def _waits(disk: Event) -> Callable[[], bool]:
    return lambda: disk.wait(30)


async def test_who_waits_is_told_what_came_of_it_and_what_went_wrong() -> None:
    threads = DiskThreads(1)

    assert await threads(lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        await threads(lambda: 1 // 0)
    # The thread has lived through it.
    assert await threads(lambda: 4) == 4


async def test_so_many_wait_for_the_disk_at_once_and_no_more() -> None:
    threads, before, together = DiskThreads(3), _threads(), Barrier(3)

    # Fewer would never meet.
    await asyncio.gather(*(threads(lambda: together.wait(30)) for _ in range(9)))

    assert len(_threads() - before) == 3


async def test_who_has_gone_before_his_turn_is_not_begun(disk: Event) -> None:
    threads, begun = DiskThreads(1), []
    first = threads(_waits(disk))
    gone = threads(lambda: begun.append("gone"))

    gone.cancel()
    disk.set()

    assert await first
    assert await threads(lambda: len(begun)) == 0


async def test_who_goes_in_the_middle_disturbs_nobody(disk: Event) -> None:
    threads, begun = DiskThreads(1), Event()

    def slow() -> bool:
        begun.set()
        return disk.wait(30)

    gone = threads(slow)
    assert await asyncio.to_thread(begun.wait, 30)
    gone.cancel()
    disk.set()

    assert await threads(lambda: 5) == 5


async def test_threads_go_with_their_owner() -> None:
    before, threads = _threads(), DiskThreads(2)
    await asyncio.gather(*(threads(lambda: 1) for _ in range(8)))
    mine = _threads() - before
    assert mine

    del threads
    gc.collect()

    await eventually(lambda: not mine & _threads())
