"""Warm children, lent for one document each and replaced before they wear out.

A start costs a hundred times what reading a page does, so children live on; but what one file
leaves behind must not become the next one's fault. So a document is blamed for a crash only if
the child had seen no other: else it gets one more chance, in a fresh one. A document that is
cut short (its time is over, its handler is cancelled) takes its child with it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from shared.errors import Deferred, Retryable
from shared.observability.metrics import (
    PARSER_WAIT_SECONDS,
    PARSERS_ENDED,
    PARSERS_STARTED,
)
from shared.sandbox.frames import Frame
from shared.sandbox.worker import ROOT, Bounds, Ended, Worker, started

LOOK_EVERY_S = 5.0
BUSY_AFTER_S = 5.0


@dataclass(frozen=True, slots=True)
class Kind:
    """What sort of children a pool lends."""

    name: str
    module: str
    bounds: Bounds
    # Each child wants a core of its own: more at once only makes all of them late.
    at_once: int
    # Above this it is replaced: what it holds between documents, it never gives back.
    resident_bytes_max: int
    # With nothing to do for so long it is ended. A start is cheap, holding a model is not.
    idle_s: float
    # Whoever got no turn for so long comes back later; None is whenever there is one. A handler
    # that waited its time away would pay an attempt for the documents before its own.
    patience_s: float | None = None


class Pool:
    def __init__(self, kind: Kind, *, root: Path = ROOT) -> None:
        self._kind = kind
        self._root = root
        self._slots = asyncio.Semaphore(kind.at_once)
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._closed = False

    @property
    def size(self) -> int:
        return len(self._all)

    async def ask(self, asked: Frame, *, wall_s: float | None = None) -> Frame:
        """Raises Rejected with how the child ended, or with what it ended of; Deferred when all
        of them are busy for longer than patience lasts. `wall_s` is for a document that has
        another time than the others."""
        async with self._turn():
            worker = await self._ready()
            had_others = worker.documents > 0
            try:
                return await self._asked(worker, asked, wall_s)
            except Ended as ended:
                if not (had_others and ended.may_be_the_child):
                    raise ended.outcome from ended
            try:
                return await self._asked(await self._start(), asked, wall_s)
            except Ended as ended:
                raise ended.outcome from ended

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        came = loop.time()
        try:
            async with asyncio.timeout(self._kind.patience_s):
                await self._slots.acquire()
        except TimeoutError as error:
            raise Deferred("all parsers are busy", after_s=BUSY_AFTER_S) from error
        finally:
            PARSER_WAIT_SECONDS.labels(self._kind.name).observe(loop.time() - came)
        try:
            yield
        finally:
            self._slots.release()

    async def keep(self) -> None:
        """Ends who has had nothing to do; at the end of the process, everybody."""
        try:
            while True:
                await asyncio.sleep(min(LOOK_EVERY_S, self._kind.idle_s))
                await self.end_idle()
        finally:
            await self.close()

    async def end_idle(self) -> None:
        since = asyncio.get_running_loop().time() - self._kind.idle_s
        for worker in [one for one in self._idle if one.idle_since <= since]:
            # Another may have taken it while the one before was ending.
            if worker in self._idle:
                self._idle.remove(worker)
                await self._end(worker, "idle")

    async def close(self) -> None:
        self._closed = True
        self._idle.clear()
        for worker in tuple(self._all):
            await self._end(worker, "closed")

    async def _ready(self) -> Worker:
        while self._idle:
            # The one that was used last: the others may become idle enough to be ended.
            worker = self._idle.pop()
            async with self._ended_if_cut_short(worker):
                ready = await worker.is_ready()
            if ready:
                return worker
            await self._end(worker, "crashed")
        return await self._start()

    async def _start(self) -> Worker:
        if self._closed:
            raise Retryable("this process is being stopped")
        worker = await started(self._kind.module, self._kind.bounds, self._root)
        self._all.add(worker)
        PARSERS_STARTED.labels(self._kind.name).inc()
        return worker

    async def _asked(self, worker: Worker, asked: Frame, wall_s: float | None) -> Frame:
        try:
            async with self._ended_if_cut_short(worker):
                answer = await worker.ask(asked, wall_s=wall_s)
        except Ended as ended:
            await self._end(worker, ended.why)
            raise
        await self._give_back(worker)
        return answer

    async def _give_back(self, worker: Worker) -> None:
        spent = worker.spent(self._kind.resident_bytes_max)
        if spent is not None:
            await self._end(worker, spent)
        elif not self._closed:
            worker.idle_since = asyncio.get_running_loop().time()
            self._idle.append(worker)

    @asynccontextmanager
    async def _ended_if_cut_short(self, worker: Worker) -> AsyncIterator[None]:
        """Whoever is cancelled in the middle of a frame leaves a child that cannot be used."""
        cut_short = True
        try:
            yield
            cut_short = False
        except Ended:
            cut_short = False
            raise
        finally:
            if cut_short:
                await self._end(worker, "cancelled")

    async def _end(self, worker: Worker, why: str) -> None:
        if worker in self._all:
            self._all.discard(worker)
            PARSERS_ENDED.labels(self._kind.name, why).inc()
        await worker.end()
