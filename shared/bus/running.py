"""Running a handler within its time, and alone when it is suspected of killing processes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any

from shared.errors import Retryable

HURRY_AT = 0.9
# How long a cancelled handler may go on before the process is given up.
STUCK_AFTER_S = 10.0


class Stuck(Retryable):
    """It goes on in spite of its cancellation, so this process has to end."""


async def run_limited(
    work: Coroutine[Any, Any, None],
    *,
    timeout_s: float,
    hurry: Iterable[asyncio.Event],
    on_stuck: Callable[[], None],
) -> None:
    """Raises Retryable at the limit. A handler that ignores its cancellation ends the process:
    it holds a slot that nobody can get back, and what it still does is out of control."""
    task = asyncio.ensure_future(work)
    warning = asyncio.get_running_loop().call_later(timeout_s * HURRY_AT, _set_all, list(hurry))
    try:
        await asyncio.wait({task}, timeout=timeout_s)
        if task.done():
            return _outcome(task)
        task.cancel()
        await asyncio.wait({task}, timeout=STUCK_AFTER_S)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task}, timeout=STUCK_AFTER_S)
        raise
    finally:
        warning.cancel()
    if not task.done():
        on_stuck()
        raise Stuck(f"still running {STUCK_AFTER_S:g} s after it was cancelled")
    if not task.cancelled() and task.exception() is None:
        return None
    raise Retryable(f"timed out after {timeout_s:g} s")


def _outcome(task: "asyncio.Task[None]") -> None:
    if task.cancelled():
        # Not by us: passed on, it would look like a shutdown and leave the delivery unsettled.
        raise Retryable("the handler was cancelled from within")
    task.result()


def _set_all(events: list[asyncio.Event]) -> None:
    for event in events:
        event.set()


class Solo:
    """Many run together, or one runs alone. One who waits to be alone is not overtaken.

    A message suspected of killing its process is run alone, so that its next death convicts
    nobody else.
    """

    def __init__(self) -> None:
        self._together = 0
        self._changed = asyncio.Condition()
        self._alone_wanted = 0
        self._alone = False
        self._waking: set[asyncio.Future[None]] = set()

    @asynccontextmanager
    async def together(self) -> AsyncIterator[None]:
        # The usual case costs no lock: nothing is awaited between the check and the count.
        if self._alone or self._alone_wanted:
            async with self._changed:
                await self._changed.wait_for(lambda: not self._alone and not self._alone_wanted)
        self._together += 1
        try:
            yield
        finally:
            self._together -= 1
            if self._alone_wanted:
                async with self._changed:
                    self._changed.notify_all()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        self._alone_wanted += 1
        try:
            async with self._changed:
                await self._changed.wait_for(lambda: not self._alone and not self._together)
                self._alone = True
        finally:
            # Whoever gave up waiting must not leave the others waiting for him.
            self._alone_wanted -= 1
            self._tell()
        try:
            yield
        finally:
            self._alone = False
            self._tell()

    def _tell(self) -> None:
        """Wake everybody who waits. Not awaited, so that no cancellation can prevent it."""
        wake = asyncio.ensure_future(self._notify())
        self._waking.add(wake)
        wake.add_done_callback(self._waking.discard)

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()
