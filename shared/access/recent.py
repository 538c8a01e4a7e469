"""Callers seen a moment ago, so that not every request asks the database who it is.

Two seconds, no more: a revoked key has to die within five, in every process. Only good answers
are kept, under the fingerprint of the secret, and their number is bounded.
"""

import time
from collections.abc import Callable

from shared.access.keys import Caller

KEPT_S = 2.0
CALLERS_MAX = 4096


class RecentCallers:
    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._kept: dict[bytes, tuple[Caller, float]] = {}

    def find(self, fingerprint: bytes) -> Caller | None:
        caller, until = self._kept.get(fingerprint, (None, 0.0))
        return caller if self._monotonic() < until else None

    def keep(self, fingerprint: bytes, caller: Caller, *, asked_at: float) -> None:
        """Counted from before the question: the answer is as old as that."""
        self._kept.pop(fingerprint, None)
        if len(self._kept) >= CALLERS_MAX:
            del self._kept[next(iter(self._kept))]
        self._kept[fingerprint] = caller, asked_at + KEPT_S

    def forget(self, fingerprint: bytes) -> None:
        self._kept.pop(fingerprint, None)

    def forget_all(self) -> None:
        self._kept.clear()
