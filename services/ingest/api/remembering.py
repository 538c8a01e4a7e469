"""What was said of an ended document a moment ago, kept for who asks again.

Only what is costly is kept, the reading and the rendering, under the version it was made of.
Whether the caller may see the document, and which version is current, is asked of its row
every time: a deletion or a new reading is seen at once, whichever replica it came to.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.clock import Clock
from shared.observability.metrics import DETAIL_CACHE

# One large result must not push out all the others.
PART_MAX = 16
# What an entry takes beside its bytes, roughly.
OVERHEAD_BYTES = 512


@dataclass(frozen=True, slots=True)
class Remembered:
    data: bytes
    until: datetime


class Memory:
    """The least recently used goes first; `ttl_s` 0 remembers nothing."""

    def __init__(self, clock: Clock, *, ttl_s: float, bytes_max: int) -> None:
        self._clock = clock
        self._ttl = timedelta(seconds=ttl_s)
        self._bytes_max = bytes_max
        self._bytes = 0
        self._kept: OrderedDict[Hashable, Remembered] = OrderedDict()

    @property
    def entry_bytes_max(self) -> int:
        return self._bytes_max // PART_MAX if self._ttl else 0

    def recall(self, key: Hashable) -> bytes | None:
        found = self._kept.get(key)
        if found is not None and found.until <= self._clock.now():
            self._forget(key)
            found = None
        DETAIL_CACHE.labels("miss" if found is None else "hit").inc()
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found.data

    def keep(self, key: Hashable, data: bytes) -> None:
        if len(data) > self.entry_bytes_max:
            return
        if key in self._kept:
            self._forget(key)
        self._kept[key] = Remembered(data, self._clock.now() + self._ttl)
        self._bytes += len(data) + OVERHEAD_BYTES
        while self._bytes > self._bytes_max:
            self._forget(next(iter(self._kept)))

    def _forget(self, key: Hashable) -> None:
        self._bytes -= len(self._kept.pop(key).data) + OVERHEAD_BYTES
