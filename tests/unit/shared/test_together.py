"""Commits that are asked for at once: how many there are, and whose failure is whose."""

import asyncio
from collections.abc import Callable

from shared.errors import Retryable
from shared.ledger.together import AT_ONCE, Together, Turn
from tests.eventually import eventually


class Ledger:
    """Commits when it is let, and remembers what went together."""

    def __init__(self) -> None:
        self.commits: list[list[int]] = []
        self.commits_when_told: dict[int, int] = {}
        self._gate = asyncio.Semaphore(0)
        self.ended: list[list[int]] = []
        self.opened = 0
        self.bugs_at_opening: list[Exception] = []
        self.away_at_opening: Exception | None = None
        self.error: Exception | None = None
        self.at_end: Callable[[], object] = lambda: None
        self._together = Together[int, str]()

    def ask(self, *items: int) -> list["asyncio.Task[str]"]:
        return [
            asyncio.get_running_loop().create_task(self._until_told(item)) for item in items
        ]

    def let(self, commits: int) -> None:
        for _ in range(commits):
            self._gate.release()

    async def busy_with(self, item: int) -> "asyncio.Task[str]":
        """A commit that has begun; what is asked for from now on goes together."""
        count = len(self.commits)
        [task] = self.ask(item)
        await eventually(lambda: len(self.commits) > count)
        return task

    async def _until_told(self, item: int) -> str:
        told = await self._together(item, self._commit)
        self.commits_when_told[item] = len(self.commits)
        return told

    async def _commit(self, turn: Turn[int]) -> list[str]:
        self.opened += 1
        if self.bugs_at_opening:
            raise self.bugs_at_opening.pop()
        if self.away_at_opening is not None:
            raise self.away_at_opening
        items = await turn.take()
        self.commits.append(list(items))
        await self._gate.acquire()
        self.at_end()
        if self.error is not None:
            raise self.error
        self.ended.append(list(items))
        return [f"done {item}" for item in items]


async def test_what_comes_during_a_commit_is_the_next_one() -> None:
    ledger = Ledger()

    first = await ledger.busy_with(1)
    others = ledger.ask(2, 3, 4)
    await asyncio.sleep(0)
    ledger.let(9)

    assert await asyncio.gather(first, *others) == ["done 1", "done 2", "done 3", "done 4"]
    assert ledger.commits == [[1], [2, 3, 4]]


async def test_whoever_comes_alone_waits_for_nobody() -> None:
    ledger = Ledger()
    ledger.let(9)

    assert await asyncio.gather(*ledger.ask(1)) == ["done 1"]
    assert await asyncio.gather(*ledger.ask(2)) == ["done 2"]
    assert ledger.commits == [[1], [2]]


async def test_one_commit_takes_only_so_many() -> None:
    ledger = Ledger()
    first = await ledger.busy_with(0)
    others = ledger.ask(*range(1, AT_ONCE + 3))
    await asyncio.sleep(0)
    ledger.let(9)

    await asyncio.gather(first, *others)

    assert [len(one) for one in ledger.commits] == [1, AT_ONCE, 2]


async def test_a_database_that_is_away_is_away_for_all() -> None:
    ledger = Ledger()
    ledger.error = Retryable("no connection", dependency="postgres")
    first = await ledger.busy_with(1)
    others = ledger.ask(2, 3)
    await asyncio.sleep(0)
    ledger.let(9)

    ended = await asyncio.gather(first, *others, return_exceptions=True)

    assert [str(one) for one in ended] == ["no connection"] * 3
    assert {getattr(one, "dependency", None) for one in ended} == {"postgres"}


async def test_a_bug_is_told_to_one_as_it_is_and_the_others_may_ask_again() -> None:
    ledger = Ledger()
    first = await ledger.busy_with(1)
    others = ledger.ask(2, 3)
    await asyncio.sleep(0)
    ledger.error = KeyError("renamed")
    ledger.let(9)

    ended = await asyncio.gather(first, *others, return_exceptions=True)

    assert [type(one) for one in ended] == [KeyError, KeyError, Retryable]


async def test_a_bug_while_opening_is_told_to_one_and_the_others_are_committed() -> None:
    ledger = Ledger()
    ledger.bugs_at_opening = [KeyError("renamed")]
    ledger.let(9)

    ended = await asyncio.gather(*ledger.ask(1, 2), return_exceptions=True)

    assert [type(one) for one in ended] == [KeyError, str]
    assert ledger.commits == [[2]]


async def test_the_next_commit_begins_before_those_of_the_last_have_gone() -> None:
    ledger = Ledger()
    first = await ledger.busy_with(0)
    group = ledger.ask(*range(1, 33))
    await asyncio.sleep(0)
    ledger.let(1)
    await first
    await eventually(lambda: len(ledger.commits) == 2)
    [last] = ledger.ask(99)
    await asyncio.sleep(0)

    ledger.let(9)
    await asyncio.gather(*group, last)

    # Whoever led is still at it, and the first to go.
    assert {ledger.commits_when_told[item] for item in range(2, 33)} == {3}


async def test_the_next_has_opened_while_the_last_is_at_work_and_no_third() -> None:
    ledger = Ledger()
    first = await ledger.busy_with(0)

    others = ledger.ask(1, 2, 3)
    await eventually(lambda: ledger.opened > 1)
    await asyncio.sleep(0)

    assert (ledger.opened, ledger.commits) == (2, [[0]])
    ledger.let(9)
    await asyncio.gather(first, *others)
    assert (ledger.opened, ledger.commits) == (2, [[0], [1, 2, 3]])


async def test_who_comes_after_the_opening_still_goes_along() -> None:
    ledger = Ledger()
    first = await ledger.busy_with(0)
    early = ledger.ask(1)
    await eventually(lambda: ledger.opened > 1)

    late = ledger.ask(2)
    await asyncio.sleep(0)
    ledger.let(9)
    await asyncio.gather(first, *early, *late)

    assert ledger.commits == [[0], [1, 2]]


async def test_what_cannot_be_opened_is_away_for_those_who_wait_and_not_for_the_last() -> None:
    ledger = Ledger()
    first = await ledger.busy_with(0)

    ledger.away_at_opening = Retryable("no connection", dependency="postgres")
    others = ledger.ask(1, 2)
    ended = await asyncio.gather(*others, return_exceptions=True)

    assert [str(one) for one in ended] == ["no connection"] * 2
    ledger.away_at_opening = None
    ledger.let(9)
    assert [await first, *(await asyncio.gather(*ledger.ask(3)))] == ["done 0", "done 3"]
