"""Threads that wait for a disk: who asked is told, and they go when their owner does."""

import asyncio
import gc
import threading
from collections.abc import Callable
from threading import Barrier, Event, Thread

import pytest

from shared.blobs.writers import Writers
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
    writers = Writers(1)

    assert await writers(lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        await writers(lambda: 1 // 0)
    # The thread has lived through it.
    assert await writers(lambda: 4) == 4


async def test_so_many_wait_for_the_disk_at_once_and_no_more() -> None:
    writers, before, together = Writers(3), _threads(), Barrier(3)

    # Fewer would never meet.
    await asyncio.gather(*(writers(lambda: together.wait(30)) for _ in range(9)))

    assert len(_threads() - before) == 3


async def test_who_has_gone_before_his_turn_is_not_begun(disk: Event) -> None:
    writers, begun = Writers(1), []
    first = writers(_waits(disk))
    gone = writers(lambda: begun.append("gone"))

    gone.cancel()
    disk.set()

    assert await first
    assert await writers(lambda: len(begun)) == 0


async def test_who_goes_in_the_middle_disturbs_nobody(disk: Event) -> None:
    writers, begun = Writers(1), Event()

    def slow() -> bool:
        begun.set()
        return disk.wait(30)

    gone = writers(slow)
    assert await asyncio.to_thread(begun.wait, 30)
    gone.cancel()
    disk.set()

    assert await writers(lambda: 5) == 5


async def test_threads_go_with_their_owner() -> None:
    before, writers = _threads(), Writers(2)
    await asyncio.gather(*(writers(lambda: 1) for _ in range(8)))
    mine = _threads() - before
    assert mine

    del writers
    gc.collect()

    await eventually(lambda: not mine & _threads())
