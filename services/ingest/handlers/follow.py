"""Follow documents and batches while they move: one query per tick for all who watch, in
each process.

Whoever watches holds a position in the timeline and is given what lies behind it, so joining
late, looking twice or being slow neither repeats nor skips an event. A reader who does not
keep up is simply given nothing more until there is room.
"""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from uuid import UUID

from services.ingest.domain.documents import Event
from services.ingest.ports import Timelines
from shared.bus.waiting import happens, until_beat
from shared.contracts.facts import BatchCompletedV1, DocumentDeletedV1, DocumentEndedV1
from shared.errors import Retryable

EVERY_S = 0.5
STREAMS_MAX = 500
WAITING_EVENTS_MAX = 100
FINAL_EVENTS = frozenset({DocumentEndedV1.type, DocumentDeletedV1.type, BatchCompletedV1.type})

log = logging.getLogger(__name__)


class Stream:
    """What one watcher has not read yet."""

    def __init__(self, after_seq: int) -> None:
        self.seq = after_seq
        self.closed = False
        self._events: deque[Event] = deque()
        self._news = asyncio.Event()

    def offer(self, event: Event) -> None:
        # Within one look nobody reads, so once there is no room nothing later slips in.
        if event.seq > self.seq and len(self._events) < WAITING_EVENTS_MAX:
            self.seq = event.seq
            self._events.append(event)
            self._news.set()

    def close(self) -> None:
        self.closed = True
        self._news.set()

    async def events(self, *, within_s: float) -> list[Event]:
        """As soon as there are some, or the stream is closed; empty when the time is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._news.wait()
        if not self.closed:
            self._news.clear()
        found = list(self._events)
        self._events.clear()
        return found


class Feed:
    """All streams of one process."""

    def __init__(
        self,
        timelines: Timelines,
        *,
        every_s: float = EVERY_S,
        streams_max: int = STREAMS_MAX,
    ) -> None:
        self._timelines = timelines
        self._every_s = every_s
        self._streams_max = streams_max
        self._streams: dict[UUID, set[Stream]] = {}
        self._watchers = Counter[str]()
        self._wanted = asyncio.Event()
        self._stopped = False

    @property
    def is_full(self) -> bool:
        return self._stopped or sum(map(len, self._streams.values())) >= self._streams_max

    @property
    def each_max(self) -> int:
        """However patient the clients of one are, others find room."""
        return max(self._streams_max // 2, 1)

    def has_enough(self, watcher: str) -> bool:
        """Whether he has as many as anybody may."""
        return self._watchers[watcher] >= self.each_max

    @contextmanager
    def watching(
        self, document_id: UUID, *, after_seq: int, watcher: str = ""
    ) -> Iterator[Stream]:
        stream = Stream(after_seq)
        if self._stopped:
            stream.close()
        streams = self._streams.setdefault(document_id, set())
        streams.add(stream)
        self._watchers[watcher] += 1
        self._wanted.set()
        try:
            yield stream
        finally:
            self._leave(watcher)
            streams.discard(stream)
            if not streams and self._streams.get(document_id) is streams:
                del self._streams[document_id]

    def _leave(self, watcher: str) -> None:
        self._watchers[watcher] -= 1
        if not self._watchers[watcher]:
            # Keys come and go; who watches nothing is not remembered.
            del self._watchers[watcher]

    async def look(self) -> None:
        watched = {document_id: tuple(one) for document_id, one in self._streams.items()}
        if not watched:
            return
        after = {
            document_id: min(stream.seq for stream in streams)
            for document_id, streams in watched.items()
        }
        found = await self._timelines.list_new_events(after, limit=WAITING_EVENTS_MAX)
        for document_id, event in found:
            # Not to who came meanwhile with a position further back: he would be given this
            # and never what lies between.
            for stream in watched[document_id]:
                stream.offer(event)

    async def run(self, stopping: asyncio.Event) -> None:
        """Ends with the process, and all streams with it: clients resume elsewhere."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._keep_looking(stopping))
            await stopping.wait()
            self._wanted.set()
        self._stopped = True
        for streams in self._streams.values():
            for stream in streams:
                stream.close()

    async def _keep_looking(self, stopping: asyncio.Event) -> None:
        while not stopping.is_set():
            # Before the look, so that whoever comes during the look is not slept through.
            self._wanted.clear()
            try:
                await self.look()
            except Retryable as away:
                # The watchers wait; what they missed lies behind their position.
                log.warning("events_not_read", extra={"reason": str(away)})
            if self._streams:
                await happens(stopping, within_s=until_beat(self._every_s))
            else:
                # Nobody watches: whoever comes wakes us.
                await self._wanted.wait()


async def await_end(document_id: UUID, feed: Feed, *, within_s: float, watcher: str) -> None:
    """Returns when the document has ended, the time is over, or too many watch already."""
    if feed.is_full or feed.has_enough(watcher):
        return
    with (
        suppress(TimeoutError),
        feed.watching(document_id, after_seq=0, watcher=watcher) as stream,
    ):
        async with asyncio.timeout(within_s):
            while not stream.closed:
                found = await stream.events(within_s=within_s)
                if any(event.type in FINAL_EVENTS for event in found):
                    return
