"""Commits that are asked for at the same time are one commit.

A commit costs its round trips and a wait for the disk, whether it holds one thing or sixty.
Whoever comes first commits for all who wait at that moment; the others find it done. Nobody
waits for more to come.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from shared.errors import Retryable

T = TypeVar("T")
R = TypeVar("R")
Commit = Callable[[Sequence[T]], Awaitable[Sequence[R]]]
AT_ONCE = 64


class Together(Generic[T, R]):
    """Everything that is handed to one of these is committed in the same way."""

    def __init__(self) -> None:
        # First come, first served, like those who wait: whoever leads is in front.
        self._turn = asyncio.Lock()
        self._waiting: deque[tuple[T, asyncio.Future[R]]] = deque()

    async def __call__(self, item: T, commit: Commit[T, R]) -> R:
        """`commit` returns an outcome for each item, in order. What fails for all, such as a
        database that is away, it raises."""
        told: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        mine = (item, told)
        self._waiting.append(mine)
        try:
            async with self._turn:
                # In front of him may be many who are gone already and have not heard it.
                while not told.done():
                    await self._lead(commit)
        finally:
            if mine in self._waiting:
                # Cancelled before anybody took it along.
                self._waiting.remove(mine)
        return await told

    async def _lead(self, commit: Commit[T, R]) -> None:
        count = min(len(self._waiting), AT_ONCE)
        batch = [self._waiting.popleft() for _ in range(count)]
        try:
            outcomes = await commit([item for item, _ in batch])
            for (_, told), outcome in zip(batch, outcomes, strict=True):
                told.set_result(outcome)
        except Retryable as away:
            _fail(batch, str(away), dependency=away.dependency)
        finally:
            # As after a lost connection: it may have been committed, and asking again tells.
            _fail(batch, "whoever committed this for others was cut off")


def _fail(
    batch: Sequence[tuple[T, asyncio.Future[R]]], why: str, *, dependency: str | None = None
) -> None:
    for _, told in batch:
        if not told.done():
            told.set_exception(Retryable(why, dependency=dependency))
            # Looked at, lest it is reported as forgotten: its owner may have gone.
            told.exception()
