"""Threads that wait for a disk, so that the event loop does not.

The library's pool would do, but what it does around a call costs the loop as much as half a
dozen system calls, and under load each of them is paid twice: whoever wants the interpreter
waits until it is free. Here a call is put down, and its outcome is told; nothing else.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

_Result = TypeVar("_Result")
_Told: TypeAlias = "asyncio.Future[Any]"
_Asked: TypeAlias = tuple[Callable[[], object], _Told]


class DiskThreads:
    """At most `count` threads, as many as were ever needed at once. They end with this."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._started = 0
        self._asked: SimpleQueue[_Asked | None] = SimpleQueue()

    def __call__(self, work: Callable[[], _Result]) -> "asyncio.Future[_Result]":
        """Cancelled before a thread has come to it, it never begins; later, it ends alone."""
        told: asyncio.Future[_Result] = asyncio.get_running_loop().create_future()
        self._asked.put((work, told))
        if self._started < self._count and not self._asked.empty():
            self._started += 1
            # Whoever still waits for the disk when the process ends is as good as killed.
            Thread(target=_work, args=(self._asked,), name="blobs", daemon=True).start()
        return told

    def __del__(self) -> None:
        for _ in range(self._started):
            self._asked.put(None)


def _work(asked: "SimpleQueue[_Asked | None]") -> None:
    """Holds no reference to who asks, or it would keep him alive."""
    while (one := asked.get()) is not None:
        work, told = one
        if not told.cancelled():
            with _Telling(told) as telling:
                telling.outcome = work()
            del telling
        # Nor one to what was written, until somebody asks again.
        del one, work, told


class _Telling(AbstractContextManager["_Telling"]):
    """Whoever waits is told what became of it, of an error too, which is then his."""

    __slots__ = ("_told", "outcome")

    def __init__(self, told: _Told) -> None:
        self._told = told
        self.outcome: object = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        loop = self._told.get_loop()
        try:
            loop.call_soon_threadsafe(_tell, self._told, self.outcome, error)
        except RuntimeError:
            # Nobody is left who could hear it.
            if not loop.is_closed():
                raise
        return isinstance(error, Exception)


def _tell(told: _Told, outcome: object, error: BaseException | None) -> None:
    if told.done():
        return
    if error is None:
        told.set_result(outcome)
    else:
        told.set_exception(error)
