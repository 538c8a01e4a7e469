"""When the next batch may begin, of a queue or of the outbox, while a stream is steady.

What a batch costs it costs whether it holds three messages or thirty. What nobody waits for
need not be looked at again the moment one message is there: while many come, batches begin a
pace apart. What comes alone, after a rest or in a thin stream, is taken at
once: that is somebody's single document, and each of its facts is waited for.
"""

import time
from collections import deque
from collections.abc import Callable

# So many in a second are more than the documents of somebody who hands in one after the other.
STEADY_PER_S = 160
OVER_S = 1.0


class Pace:
    def __init__(
        self, pace_s: float, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._pace_s = pace_s
        self._monotonic = monotonic
        # When the batches of the last second began, and what they held.
        self._begun: deque[tuple[float, int]] = deque()
        self._lately = 0

    def begin(self, count: int) -> None:
        """A batch of so many begins."""
        if self._pace_s:
            self._begun.append((self._monotonic(), count))
            self._lately += count

    def rest_s(self) -> float:
        """How long the next one has to wait; mostly not at all."""
        now = self._monotonic()
        while self._begun and now - self._begun[0][0] >= OVER_S:
            self._lately -= self._begun.popleft()[1]
        if self._lately < STEADY_PER_S * OVER_S:
            return 0.0
        return max(self._begun[-1][0] + self._pace_s - now, 0.0)
