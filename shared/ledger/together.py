"""Commits that are asked for at the same time are one commit.

A commit costs its round trips and a wait for the disk, whether it holds one thing or sixty.
Whoever comes first commits for all who wait at that moment; the others find it done. Nobody
waits for more to come. The next one opens its transaction while the last is still at work, and
takes those who wait when it is its turn: what opening costs is never waited for.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from shared.errors import Retryable

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R")
AT_ONCE = 64
# One is at work, and one is ready to be the next.
LEADERS_MAX = 2


class Turn(Protocol[T_co]):
    """What whoever commits for others is given."""

    async def take(self) -> Sequence[T_co]:
        """Those who wait, as soon as the commit before this one has ended. Once."""


Commit = Callable[[Turn[T]], Awaitable[Sequence[R]]]


@dataclass(slots=True, eq=False)
class _Asked(Generic[T, R]):
    item: T
    told: asyncio.Future[R]
    # Was told, or may lead now. No more than a hint: somebody may have been faster.
    called: asyncio.Event = field(default_factory=asyncio.Event)
    # In somebody's commit: leading now, he might find nobody to commit for.
    is_taken: bool = False


class Together(Generic[T, R]):
    """Everything that is handed to one of these is committed in the same way."""

    def __init__(self) -> None:
        self._waiting: deque[_Asked[T, R]] = deque()
        self._leaders = 0
        self._somebody_opens = False
        self._alone = asyncio.Lock()

    async def __call__(self, item: T, commit: Commit[T, R]) -> R:
        """`commit` returns an outcome for each that it took, in order. What fails for all, such
        as a database that is away, it raises."""
        mine: _Asked[T, R] = _Asked(item, asyncio.get_running_loop().create_future())
        self._waiting.append(mine)
        try:
            # Whoever leads may have more than one commit in front of him.
            while not mine.told.done():
                if self._may_lead() and not mine.is_taken:
                    await self._lead(commit)
                else:
                    mine.called.clear()
                    await mine.called.wait()
        finally:
            if not mine.told.done():
                self._leave(mine)
        return mine.told.result()

    def _may_lead(self) -> bool:
        # Two who open at a time would wait for the same people.
        return not self._somebody_opens and self._leaders < LEADERS_MAX

    async def _lead(self, commit: Commit[T, R]) -> None:
        turn = _Turn(self._alone, self._take)
        self._leaders += 1
        self._somebody_opens = True
        try:
            outcomes = await commit(turn)
            # Before these are told, so that he is the first whom the loop comes to.
            turn.end()
            for one, outcome in zip(turn.taken, outcomes, strict=True):
                one.told.set_result(outcome)
                one.called.set()
        except Retryable as away:
            # What is away for him who only opened is away for those who wait for him.
            if not turn.has_taken:
                turn.taken = self._take()
            _fail(turn.taken, str(away), dependency=away.dependency)
        finally:
            turn.end()
            # As after a lost connection: it may have been committed, and asking again tells.
            _fail(turn.taken, "whoever committed this for others was cut off")
            self._leaders -= 1
            if not turn.has_taken:
                self._somebody_opens = False
            self._call_next()

    def _take(self) -> list[_Asked[T, R]]:
        count = min(len(self._waiting), AT_ONCE)
        batch = [self._waiting.popleft() for _ in range(count)]
        for one in batch:
            one.is_taken = True
        self._somebody_opens = False
        self._call_next()
        return batch

    def _call_next(self) -> None:
        if self._waiting and self._may_lead():
            self._waiting[0].called.set()

    def _leave(self, mine: _Asked[T, R]) -> None:
        """Cancelled: perhaps before anybody took it along, perhaps when it was to lead."""
        if mine in self._waiting:
            self._waiting.remove(mine)
        self._call_next()


class Alone(Generic[T]):
    """The turn of who commits for himself and waits for nobody."""

    def __init__(self, items: Sequence[T]) -> None:
        self._items = items

    async def take(self) -> Sequence[T]:
        return self._items


class _Turn(Generic[T, R]):
    def __init__(self, alone: asyncio.Lock, take: Callable[[], list[_Asked[T, R]]]) -> None:
        self.taken: list[_Asked[T, R]] = []
        self.has_taken = False
        self._alone = alone
        self._take = take
        self._is_mine = False

    async def take(self) -> Sequence[T]:
        await self._alone.acquire()
        self._is_mine = self.has_taken = True
        self.taken = self._take()
        return [one.item for one in self.taken]

    def end(self) -> None:
        if self._is_mine:
            self._is_mine = False
            self._alone.release()


def _fail(batch: Sequence[_Asked[T, R]], why: str, *, dependency: str | None = None) -> None:
    for one in batch:
        if not one.told.done():
            one.told.set_exception(Retryable(why, dependency=dependency))
            # Looked at, lest it is reported as forgotten: its owner may have gone.
            one.told.exception()
            one.called.set()
