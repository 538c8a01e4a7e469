"""From the first task of a process to its orderly end.

A deploy stops processes all day, so stopping must be as safe as running: first nothing new
is taken, then what is in hand is finished, and background work (the relay above all) goes on
until then. A background task that dies silently would leave a process that looks alive and
does nothing; here it ends the process, the same orderly way.
"""

import asyncio
import logging
import signal
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

SIGNALS = (signal.SIGTERM, signal.SIGINT)
log = logging.getLogger(__name__)


class Lifetime:
    """Owns the one task group of the process.

    `stopping` is set before anything else happens, so that readiness fails first. The body
    given to `live` notices it, drains and returns; after `drain_s`, or at a second signal,
    it is cancelled. Background tasks are cancelled only when the body has ended.
    """

    def __init__(self, *, drain_s: float, on_stop: Callable[[], object] = lambda: None) -> None:
        self.stopping = asyncio.Event()
        self.exit_code = 0
        self.refused: tuple[str, ...] = ()
        self._hurried = asyncio.Event()
        self._drain_s = drain_s
        self._on_stop = on_stop
        self._group = asyncio.TaskGroup()
        self._background: set[asyncio.Task[None]] = set()

    def spawn(self, name: str, work: Coroutine[Any, Any, object]) -> asyncio.Task[None]:
        """Runs in the background until the end. Its crash is the end of the process."""
        task = self._start(name, work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    def stop(self, reason: str) -> None:
        """The first call starts the drain; the second cuts it short."""
        if self.stopping.is_set():
            log.warning("drain_hurried", extra={"reason": reason})
            self._hurried.set()
            return
        log.info("process_stopping", extra={"reason": reason, "drain_s": self._drain_s})
        self.stopping.set()
        self._on_stop()

    def fatal(self, reason: str) -> None:
        """Something is broken beyond this process's means: drain, then let it be restarted."""
        self.exit_code = 1
        log.error("process_failing", extra={"reason": reason})
        if not self.stopping.is_set():
            self.stop(reason)

    def refuse(self, sentences: Sequence[str]) -> None:
        """What is wrong is somebody's choice: another start would find the same."""
        self.refused = tuple(sentences)
        self.stop("refused")

    async def live(self, body: Coroutine[Any, Any, object]) -> int:
        """The whole life. Answers the exit code."""
        with self._signals():
            async with self._group:
                main = self._start("main", body)
                main.add_done_callback(lambda _task: self._ended())
                await self.stopping.wait()
                await self._drain(main)
                for task in tuple(self._background):
                    task.cancel()
        log.info("process_stopped", extra={"exit_code": self.exit_code})
        return self.exit_code

    def _start(self, name: str, work: Coroutine[Any, Any, object]) -> asyncio.Task[None]:
        task = self._group.create_task(self._watched(name, work), name=name)
        # Cancelled before its first step, a task would leave its work open for ever.
        task.add_done_callback(lambda _task: work.close())
        return task

    def _ended(self) -> None:
        if not self.stopping.is_set():
            self.stop("finished")

    async def _drain(self, main: asyncio.Task[None]) -> None:
        hurried = self._group.create_task(self._hurried.wait())
        await asyncio.wait(
            {main, hurried},
            timeout=self._drain_s,
            return_when=asyncio.FIRST_COMPLETED,
        )
        hurried.cancel()
        if not main.done():
            # What is cut off here stays unsettled and is delivered again, elsewhere.
            log.warning("drain_cut_short", extra={"drain_s": self._drain_s})
            main.cancel()
            await asyncio.wait({main})

    async def _watched(self, name: str, work: Coroutine[Any, Any, object]) -> None:
        with _Watch(self, name):
            await work

    @contextmanager
    def _signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self.stop, number.name)
        try:
            yield
        finally:
            for number in SIGNALS:
                loop.remove_signal_handler(number)


class _Watch:
    # A task group answers a crash by cancelling the siblings at once, deliveries in hand
    # included. So the crash stops here and becomes a drain.
    def __init__(self, life: Lifetime, name: str) -> None:
        self._life = life
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if isinstance(error, asyncio.CancelledError) and not self._life.stopping.is_set():
            # Nobody cancels a task of a process that goes on: it would just be missing.
            self._life.fatal(f"the task {self._name} was cancelled")
        if not isinstance(error, Exception):
            return False
        log.error("task_crashed", extra={"task": self._name}, exc_info=error)
        self._life.fatal(f"the task {self._name} crashed")
        return True
