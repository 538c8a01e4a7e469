"""What somebody will want to see in a moment: drawn ahead, and given up without regret.

The latest wish is the likeliest, so it goes first; when there are too many, the oldest is
forgotten. A wish that is not met costs a person a moment, never an answer.
"""

import asyncio
from collections import deque
from dataclasses import dataclass
from uuid import UUID

WISHES_MAX = 64


@dataclass(frozen=True, slots=True)
class Wish:
    """The first page of this document; then that of what its reviewer is lent next."""

    document_id: UUID
    reviewer: str | None = None
    lead: bool = False


class Wishes:
    def __init__(self) -> None:
        self._open: deque[Wish] = deque(maxlen=WISHES_MAX)
        self._bell = asyncio.Event()

    def make(self, wish: Wish) -> None:
        if wish in self._open:
            self._open.remove(wish)
        self._open.append(wish)
        self._bell.set()

    async def next(self) -> Wish:
        while not self._open:
            self._bell.clear()
            await self._bell.wait()
        return self._open.pop()
