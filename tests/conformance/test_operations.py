"""Operations over dead letters: one suite for those in memory and those in PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from services.monitor.domain.letters import LetterState
from services.monitor.domain.operations import (
    ItemOutcome,
    KeyTaken,
    NotAllowed,
    Operation,
    OperationState,
    Overlapping,
    Pace,
    StaleOperation,
)
from services.monitor.domain.steering import cancelled, paced, paused, resumed
from services.monitor.handlers.operating import step_operation
from services.monitor.handlers.replaying import get_letter, replay_letter
from services.monitor.handlers.requesting import request_operation
from services.monitor.handlers.steering import Change, steer_operation
from services.monitor.ports.operations import Asked
from tests.conformance.operating import Operating, in_memory, in_postgres
from tests.unit.monitor.world import dead_letter, garbage


@pytest.fixture(params=["memory", "postgres"])
async def operating(request: pytest.FixtureRequest) -> AsyncIterator[Operating]:
    async with in_memory() if request.param == "memory" else in_postgres() as one:
        yield one


async def test_each_letter_goes_back_once_and_is_followed_to_its_end(
    operating: Operating,
) -> None:
    letters = await operating.letters(3)
    operation = await operating.asked()

    await operating.run()
    done, known, failed = await operating.replays(operation)
    await operating.settle((done, "done"), (known, "already_applied"), (failed, "refailed"))
    await operating.run()

    ended = await operating.now(operation)
    assert (ended.state, ended.total, ended.sent) == (OperationState.COMPLETED, 3, 3)
    assert (ended.done, ended.already_applied, ended.refailed) == (1, 1, 1)
    assert ended.progress == 100
    states = [(await get_letter(one.letter_id, operating.use)).state for one in letters]
    assert sorted(states) == [LetterState.REFAILED, LetterState.RESOLVED, LetterState.RESOLVED]


async def test_an_outcome_that_is_told_twice_counts_once(operating: Operating) -> None:
    await operating.letters(2)
    operation = await operating.asked()
    await operating.run()
    [first, _] = await operating.replays(operation)

    for outcome in ("done", "done", "refailed"):
        await operating.settle((first, outcome))

    now = await operating.now(operation)
    assert (now.done, now.refailed, now.in_flight) == (1, 0, 1)


async def test_what_cannot_be_sent_is_skipped_and_says_why(operating: Operating) -> None:
    await operating.keeper.kept(garbage())
    replayed = await operating.keeper.kept(dead_letter())
    await operating.letters(1)
    operation = await operating.asked()
    await step_operation(operating.use)
    await replay_letter(replayed.letter_id, "otto", "Mine.", operating.use)

    await operating.run()

    assert sorted(await operating.outcomes(operation), key=str) == [
        ("sent", None),
        ("skipped", "replaying"),
        ("skipped", "unreadable"),
    ]


async def test_an_operation_that_found_nothing_has_ended(operating: Operating) -> None:
    operation = await operating.asked()

    await operating.run()
    await operating.run()

    assert (await operating.now(operation)).state is OperationState.COMPLETED


async def test_no_more_are_on_their_way_than_allowed(operating: Operating) -> None:
    await operating.letters(5)
    operation = await operating.asked(pace=Pace(1_000_000, in_flight_max=2))

    await operating.run()
    assert (await operating.now(operation)).in_flight == 2
    await operating.settle(((await operating.replays(operation))[0], "done"))
    await operating.run()

    now = await operating.now(operation)
    assert (now.sent, now.in_flight) == (3, 2)


async def test_the_first_letters_go_alone_and_a_person_lets_the_rest_follow(
    operating: Operating,
) -> None:
    await operating.letters(4)
    operation = await operating.asked(pace=Pace(1_000_000, 100, canary=1))

    await operating.run()
    alone = await operating.now(operation)
    assert (alone.state, alone.sent, alone.paused_because) == ("paused", 1, "canary")
    await steered(operating, alone.version, resumed)
    await operating.run()

    assert (await operating.now(operation)).sent == 4


async def test_paused_it_sends_nothing_and_resumed_it_goes_on(operating: Operating) -> None:
    await operating.letters(2)
    operation = await operating.asked()

    await steered(operating, operation.version, paused)
    await operating.run()
    assert (await operating.now(operation)).sent == 0
    await steered(operating, operation.version + 1, resumed)
    await operating.run()

    assert (await operating.now(operation)).sent == 2


async def test_cancelled_it_sends_nothing_more_and_follows_what_it_sent(
    operating: Operating,
) -> None:
    await operating.letters(3)
    operation = await operating.asked(pace=Pace(1_000_000, in_flight_max=1))
    await operating.run()

    ended = await steered(operating, operation.version, cancelled)
    await operating.settle(((await operating.replays(operation))[0], "done"))
    await operating.run()

    now = await operating.now(operation)
    assert (now.state, now.sent, now.done) == (OperationState.CANCELLED, 1, 1)
    assert ended.ended_at is not None
    with pytest.raises(NotAllowed):
        await steered(operating, ended.version, resumed)


async def test_who_looked_at_another_version_steers_nothing(operating: Operating) -> None:
    operation = await operating.asked()
    await steered(operating, operation.version, lambda one: paced(one, 5, None))

    with pytest.raises(StaleOperation):
        await steered(operating, operation.version, cancelled)

    assert (await operating.now(operation)).rate_per_s == 5


async def test_letters_of_an_active_operation_are_not_promised_to_another(
    operating: Operating,
) -> None:
    letters = await operating.letters(2)
    first = await operating.asked()
    one = operating.selection(ids=(letters[0].letter_id,))

    with pytest.raises(Overlapping) as before:
        await operating.asked(key="k2", selection=one)
    await step_operation(operating.use)
    with pytest.raises(Overlapping) as prepared:
        await operating.asked(key="k2", selection=one)

    assert {before.value.operation_id, prepared.value.operation_id} == {first.operation_id}
    await steered(operating, first.version, cancelled)
    assert (await operating.asked(key="k2", selection=one)).total == 0


async def test_a_key_asks_once_and_for_one_thing(operating: Operating) -> None:
    await operating.letters(1)
    first = await operating.asked()

    again, is_known = await request_operation(operating.wish(), operating.use)
    assert (again.operation_id, is_known) == (first.operation_id, True)
    with pytest.raises(KeyTaken):
        await request_operation(operating.wish(digest="other"), operating.use)


async def test_many_who_ask_at_once_get_one_operation(operating: Operating) -> None:
    await operating.letters(3)

    asked = await asyncio.gather(
        *(operating.asked(key=f"k{n}") for n in range(8)), return_exceptions=True
    )

    assert sum(isinstance(one, Overlapping) for one in asked) == 7


async def test_operations_are_listed_latest_first_in_pages(operating: Operating) -> None:
    asked = []
    for n in range(3):
        letters = await operating.letters(1)
        ids = operating.selection(ids=(letters[0].letter_id,))
        asked.append(await operating.asked(key=f"k{n}", selection=ids))

    first = await operating.use.operations.list_operations(state=None, after=None, limit=2)
    rest = await operating.use.operations.list_operations(
        state=None, after=Asked(first[-1].requested_at, first[-1].operation_id), limit=2
    )

    listed = [one.operation_id for one in (*first, *rest)]
    assert listed == [one.operation_id for one in reversed(asked)]


async def test_items_are_listed_by_outcome(operating: Operating) -> None:
    await operating.letters(3)
    operation = await operating.asked(pace=Pace(1_000_000, in_flight_max=1))
    await operating.run()

    waiting = await operating.use.operations.list_items(
        operation.operation_id, outcome=ItemOutcome.WAITING, after=0, limit=9
    )

    assert [one.position for one in waiting] == [2, 3]
    assert await operating.use.operations.find_operation(uuid4()) is None


async def steered(operating: Operating, seen: int, change: Change) -> Operation:
    [operation] = [
        one
        for one in await operating.use.operations.list_operations(
            state=None, after=None, limit=1
        )
    ]
    return await steer_operation(
        operation.operation_id,
        seen,
        change,
        actor="olga",
        action="operation_steered",
        use=operating.use,
    )


async def test_a_step_in_which_nothing_moved_is_no_news(operating: Operating) -> None:
    await operating.letters(2)
    pace = Pace(rate_per_s=1_000_000, in_flight_max=1)
    operation = await operating.asked(pace=pace)
    await operating.run()
    before = await operating.now(operation)

    await step_operation(operating.use)

    now = await operating.now(operation)
    assert (before.in_flight, now.seq) == (1, before.seq)
