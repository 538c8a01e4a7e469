"""Commits that are asked for at the same time are one commit.

A commit costs its round trips and a wait for the disk, whether it holds one thing or sixty.
Those who wait at a moment are committed together, in a task that belongs to none of them: who
is cancelled stops waiting, and the others are told what became of theirs. Nobody waits for more
to come. The next one opens its transaction while the last is still at work, and takes those who
wait when it is its turn: what opening costs is never waited for.

Of jobs, nobody may fail for another, nor be blamed for him. So for them a commit that fails for
several is no answer: it has left nothing behind, and each does it again alone, as if there were
no others.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, Protocol, TypeVar

from shared.errors import Retryable

log = logging.getLogger(__name__)

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R")
AT_ONCE = 64
# One is at work, and one is ready to be the next.
COMMITS_MAX = 2


class Turn(Protocol[T_co]):
    """What whoever commits for others is given."""

    async def take(self) -> Sequence[T_co]:
        """Those who wait, as soon as the commit before this one has ended. Once."""


Commit = Callable[[Turn[T]], Awaitable[Sequence[R]]]


class NotTogether(Exception):
    """Raised by a commit that holds what only one who is alone can be told about."""


class _Alone(Exception):
    """Nothing was done for him: he is to do it himself."""


@dataclass(slots=True, eq=False)
class _Asked(Generic[T, R]):
    item: T
    told: asyncio.Future[R]
    # His way of committing, and where its log lines and spans belong when he is the first.
    commit: Commit[T, R]
    context: Context = field(default_factory=copy_context)


class Together(Generic[T, R]):
    """Everything that is handed to one of these is committed in the same way."""

    def __init__(self, *, or_each_alone: bool = False) -> None:
        """`or_each_alone`: what fails for several, but for a dependency that is away."""
        self._or_each_alone = or_each_alone
        self._waiting: deque[_Asked[T, R]] = deque()
        self._commits: set[asyncio.Task[None]] = set()
        self._one_opens = False
        self._alone = asyncio.Lock()

    async def __call__(self, item: T, commit: Commit[T, R]) -> R:
        """`commit` returns an outcome for each that it took, in order. What fails for all, such
        as a database that is away, it raises. Cancelled while nobody has taken it along, it is
        not committed; afterwards it is."""
        told: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        mine = _Asked(item, told, commit)
        self._waiting.append(mine)
        self._open_next()
        try:
            return await told
        except _Alone:
            pass
        finally:
            # He was cancelled, and perhaps nobody had taken him along.
            if told.cancelled() and mine in self._waiting:
                self._waiting.remove(mine)
        [outcome] = await commit(Alone([item]))
        return outcome

    async def at_rest(self) -> None:
        """What is at work has ended, also for those who were cancelled meanwhile."""
        if self._commits:
            await asyncio.wait(set(self._commits))

    def _open_next(self) -> None:
        # Two that open at a time would wait for the same people.
        if not self._waiting or self._one_opens or len(self._commits) >= COMMITS_MAX:
            return
        self._one_opens = True
        first, turn = self._waiting[0], _Turn(self._alone, self._take)
        commit = asyncio.get_running_loop().create_task(
            _commit_all(first, turn, self._or_each_alone), context=first.context
        )
        self._commits.add(commit)
        commit.add_done_callback(partial(self._ended, first, turn))

    def _take(self) -> list[_Asked[T, R]]:
        batch: list[_Asked[T, R]] = []
        while self._waiting and len(batch) < AT_ONCE:
            one = self._waiting.popleft()
            # Who was cancelled a moment ago has not left yet.
            if not one.told.done():
                batch.append(one)
        self._one_opens = False
        self._open_next()
        return batch

    def _ended(
        self, first: _Asked[T, R], turn: "_Turn[T, R]", commit: "asyncio.Task[None]"
    ) -> None:
        turn.end()
        self._commits.discard(commit)
        bug = None if commit.cancelled() else commit.exception()
        if not turn.has_taken:
            self._one_opens = False
            if bug is not None and first in self._waiting:
                self._waiting.remove(first)
        if isinstance(bug, Exception) and self._or_each_alone:
            several = len(turn.taken) > 1
            _fail_with(_Alone if several else lambda: bug, turn.taken or [first])
        elif bug is not None:
            _tell_bug(turn.taken[0] if turn.taken else first, bug)
        # As after a lost connection: it may have been committed, and asking again tells.
        _fail(turn.taken, "what committed this was cut off")
        self._open_next()


class Alone(Generic[T]):
    """The turn of who commits for himself and waits for nobody."""

    def __init__(self, items: Sequence[T]) -> None:
        self._items = items

    async def take(self) -> Sequence[T]:
        return self._items


class _NobodyLeft(Exception):
    """Those who waited have all gone: what was opened for them is not committed."""


class _Turn(Generic[T, R]):
    def __init__(self, alone: asyncio.Lock, take: Callable[[], list[_Asked[T, R]]]) -> None:
        self.taken: list[_Asked[T, R]] = []
        self.has_taken = False
        self._alone = alone
        self._take = take
        self._is_mine = False

    async def take(self) -> Sequence[T]:
        await self._alone.acquire()
        self._is_mine = True
        self.take_now()
        if not self.taken:
            raise _NobodyLeft
        return [one.item for one in self.taken]

    def take_now(self) -> None:
        self.has_taken = True
        self.taken = self._take()

    def end(self) -> None:
        if self._is_mine:
            self._is_mine = False
            self._alone.release()


async def _commit_all(first: _Asked[T, R], turn: _Turn[T, R], or_each_alone: bool) -> None:
    try:
        outcomes = await first.commit(turn)
    except _NobodyLeft:
        return
    except Retryable as away:
        if or_each_alone and away.dependency is None:
            # Two who waited for each other, say: it is no more everybody's than a bug is.
            raise
        # What is away for one that only opened is away for those who wait for it.
        if not turn.has_taken:
            turn.take_now()
        _fail(turn.taken, str(away), dependency=away.dependency)
        return
    # Before these are told, so that the next one is the first that the loop comes to.
    turn.end()
    for one, outcome in zip(turn.taken, outcomes, strict=True):
        if not one.told.done():
            one.told.set_result(outcome)


def _tell_bug(blamed: _Asked[T, R], bug: BaseException) -> None:
    """To one as it is, as if it had been alone."""
    if blamed.told.done():
        log.error("commit_failed", exc_info=bug)
    else:
        blamed.told.set_exception(bug)


def _fail(batch: Sequence[_Asked[T, R]], why: str, *, dependency: str | None = None) -> None:
    _fail_with(partial(Retryable, why, dependency=dependency), batch)


def _fail_with(error: Callable[[], Exception], batch: Sequence[_Asked[T, R]]) -> None:
    for one in batch:
        if not one.told.done():
            one.told.set_exception(error())
            # Looked at, lest it is reported as forgotten: its owner may have gone.
            one.told.exception()
