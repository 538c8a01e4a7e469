"""Commits of jobs: what fails for several is nobody's failure until each has done it alone."""

import asyncio
from collections.abc import Sequence

from shared.errors import Rejected, Retryable
from shared.ledger.together import NotTogether, Together, Turn
from tests.eventually import eventually


class Commits:
    """Of numbers. Each may have an error of its own, and spoils every commit that he is in."""

    def __init__(self) -> None:
        self.begun: list[list[int]] = []
        self.committed: list[list[int]] = []
        self.errors: dict[int, Exception] = {}
        self.may_end = asyncio.Event()
        self.together = Together[int, str](or_each_alone=True)

    def ask(self, *items: int) -> list["asyncio.Task[str]"]:
        loop = asyncio.get_running_loop()
        return [loop.create_task(self.together(item, self.commit)) for item in items]

    async def commit(self, turn: Turn[int]) -> Sequence[str]:
        items = await turn.take()
        self.begun.append([*items])
        await self.may_end.wait()
        for item in items:
            if item in self.errors:
                raise self.errors[item]
        self.committed.append([*items])
        return [f"done {item}" for item in items]

    async def ends(self, *items: int) -> list[str | BaseException]:
        self.may_end.set()
        return await asyncio.gather(*self.ask(*items), return_exceptions=True)


async def test_who_fails_fails_alone_and_as_it_was_and_the_others_are_done() -> None:
    commits = Commits()
    bug = KeyError("renamed")
    commits.errors = {2: bug, 4: Rejected("unreadable")}

    ended = await commits.ends(1, 2, 3, 4, 5)

    assert ended[1] is bug
    assert ended[3] is commits.errors[4]
    assert [ended[0], ended[2], ended[4]] == ["done 1", "done 3", "done 5"]
    assert sorted(commits.committed) == [[1], [3], [5]]


async def test_two_who_cannot_go_together_go_one_by_one() -> None:
    commits = Commits()

    async def commit(turn: Turn[int]) -> Sequence[str]:
        items = await turn.take()
        if len(items) > 1:
            raise NotTogether
        return [f"done {item}" for item in items]

    ended = await asyncio.gather(*(commits.together(item, commit) for item in (1, 2)))

    assert ended == ["done 1", "done 2"]


async def test_a_deadlock_costs_no_attempt_of_those_who_can_do_it_alone() -> None:
    commits = Commits()
    commits.errors = {1: Retryable("deadlock")}

    ended = await commits.ends(1, 2)

    assert ended == [commits.errors[1], "done 2"]


async def test_a_database_that_is_away_is_not_asked_by_each_again() -> None:
    commits = Commits()
    commits.errors = {1: Retryable("no connection", dependency="postgres")}

    ended = await commits.ends(1, 2, 3)

    assert [str(one) for one in ended] == ["no connection"] * 3
    assert commits.begun == [[1, 2, 3]]


async def test_whoever_is_cancelled_before_he_is_taken_along_is_not_committed() -> None:
    commits = Commits()
    [first] = commits.ask(1)
    await asyncio.sleep(0)
    late, other = commits.ask(2, 3)
    await asyncio.sleep(0)

    late.cancel()
    commits.may_end.set()
    await asyncio.wait({first, late, other})

    assert commits.committed == [[1], [3]]


async def test_whoever_was_cancelled_can_await_the_end_of_what_took_him_along() -> None:
    commits = Commits()
    first, second = commits.ask(1, 2)
    await eventually(lambda: commits.begun)

    first.cancel()
    await asyncio.wait({first})
    ending = asyncio.ensure_future(commits.together.at_rest())
    await asyncio.sleep(0)
    assert not ending.done()
    commits.may_end.set()
    await ending

    assert commits.committed == [[1, 2]]
    assert await second == "done 2"


async def test_who_was_cancelled_is_not_done_again_when_the_others_are() -> None:
    commits = Commits()
    commits.errors = {3: KeyError("renamed")}
    first, second, third = commits.ask(1, 2, 3)
    await eventually(lambda: commits.begun)

    first.cancel()
    commits.may_end.set()
    await asyncio.wait({first, second, third})

    assert commits.committed == [[2]]
