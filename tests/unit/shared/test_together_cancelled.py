"""Who is cancelled stops waiting; what was taken along is committed all the same."""

import asyncio

import pytest

from shared.ledger.together import AT_ONCE
from tests.eventually import eventually
from tests.unit.shared.test_together import Ledger


async def test_one_who_is_cancelled_only_stops_waiting() -> None:
    ledger = Ledger()
    first = await ledger.busy_with(1)
    gone, follower = ledger.ask(2, 3)
    await asyncio.sleep(0)
    ledger.let(1)
    await first
    await eventually(lambda: len(ledger.commits) == 2)
    [last] = ledger.ask(4)
    await asyncio.sleep(0)

    gone.cancel()
    await asyncio.wait([gone])
    ledger.let(2)

    assert (gone.cancelled(), await follower, await last) == (True, "done 3", "done 4")
    assert ledger.ended == [[1], [2, 3], [4]], "what was taken along is committed once"


async def test_a_commit_for_which_nobody_waits_any_more_ends_all_the_same() -> None:
    ledger = Ledger()
    only = await ledger.busy_with(1)

    only.cancel()
    await asyncio.wait([only])
    ledger.let(1)

    await eventually(lambda: ledger.ended == [[1]])


async def test_nobody_commits_for_nobody() -> None:
    ledger = Ledger()
    first = await ledger.busy_with(1)
    [gone] = ledger.ask(2)
    await eventually(lambda: ledger.opened > 1)

    gone.cancel()
    ledger.let(9)
    await asyncio.wait([first, gone])
    [last] = ledger.ask(3)

    assert (await first, await last) == ("done 1", "done 3")
    assert ledger.commits == [[1], [3]]


async def test_one_who_is_gone_before_the_commit_is_not_committed() -> None:
    ledger = Ledger()
    first = await ledger.busy_with(1)
    gone, stays = ledger.ask(2, 3)
    await asyncio.sleep(0)

    gone.cancel()
    await asyncio.sleep(0)
    ledger.let(9)

    with pytest.raises(asyncio.CancelledError):
        await gone
    assert [await first, await stays] == ["done 1", "done 3"]
    assert ledger.commits == [[1], [3]]


async def test_one_who_is_gone_and_has_not_left_yet_is_not_committed() -> None:
    ledger = Ledger()
    first = await ledger.busy_with(1)
    gone, stays = ledger.ask(2, 3)
    await asyncio.sleep(0)

    # After the last commit has ended, and before the next one has taken those who wait.
    ledger.at_end = lambda: asyncio.get_running_loop().call_soon(gone.cancel)
    ledger.let(9)
    await asyncio.wait([first, gone, stays])

    assert gone.cancelled()
    assert ledger.commits == [[1], [3]]


async def test_whoever_comes_while_all_before_him_leave_is_not_left_waiting() -> None:
    ledger = Ledger()
    first = await ledger.busy_with(0)
    gone = ledger.ask(*range(1, AT_ONCE + 1))
    await asyncio.sleep(0)

    # In one round of the loop the commit ends, he comes, and then they hear that they left.
    ledger.let(9)
    [last] = ledger.ask(99)
    for one in gone:
        one.cancel()
    await asyncio.wait([first, *gone])

    async with asyncio.timeout(5):
        assert await last == "done 99"


async def test_one_who_is_called_to_lead_and_is_cancelled_calls_the_next() -> None:
    ledger = Ledger()
    first = await ledger.busy_with(0)
    called, stays = ledger.ask(1, 2)
    await asyncio.sleep(0)

    # It hears both in one round of the loop.
    ledger.at_end = called.cancel
    ledger.let(9)
    async with asyncio.timeout(5):
        await asyncio.wait([first, called, stays])

    assert (called.cancelled(), stays.result()) == (True, "done 2")
    assert ledger.commits == [[0], [2]]


async def test_one_who_opens_and_is_cancelled_calls_the_next() -> None:
    ledger = Ledger()
    first = await ledger.busy_with(0)
    opens, stays = ledger.ask(1, 2)
    await eventually(lambda: ledger.opened > 1)

    opens.cancel()
    ledger.let(9)
    await asyncio.wait([opens])

    assert [await first, await stays] == ["done 0", "done 2"]
    assert (opens.cancelled(), ledger.commits) == (True, [[0], [2]])


async def test_one_who_is_called_and_taken_along_before_he_hears_it_does_not_lead() -> None:
    ledger = Ledger()
    first = await ledger.busy_with(0)
    opens, called = ledger.ask(1, 2)
    await eventually(lambda: ledger.opened > 1)
    newcomers: list[asyncio.Task[str]] = []

    def in_one_round_of_the_loop() -> None:
        if not newcomers:
            opens.cancel()
            newcomers.extend(ledger.ask(3))

    ledger.at_end = in_one_round_of_the_loop
    ledger.let(1)
    await eventually(lambda: len(ledger.commits) > 1)
    await asyncio.sleep(0)
    ledger.let(9)
    async with asyncio.timeout(5):
        await asyncio.wait([first, opens, called, *newcomers])

    assert (called.result(), newcomers[0].result()) == ("done 2", "done 3")
    assert ledger.commits == [[0], [2, 3]], "nobody commits for nobody"
