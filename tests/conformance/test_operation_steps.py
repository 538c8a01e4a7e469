"""Steps that fail, pauses and ends that nobody asked for: in memory and in PostgreSQL."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from services.monitor.domain.editing import Edit
from services.monitor.domain.operations import (
    KeyTaken,
    Kind,
    Operation,
    OperationState,
    Overlapping,
    Pace,
)
from services.monitor.domain.steering import resumed
from services.monitor.handlers.editing import edit_and_replay
from services.monitor.handlers.operating import step_operation
from services.monitor.handlers.requesting import request_operation
from services.monitor.handlers.steering import steer_operation
from services.monitor.ports import Limits, Ports
from shared.errors import Retryable
from tests.conformance.operating import Operating, in_memory, in_postgres

FAILURES_MAX = 2


@pytest.fixture(params=["memory", "postgres"])
async def operating(request: pytest.FixtureRequest) -> AsyncIterator[Operating]:
    async with in_memory() if request.param == "memory" else in_postgres() as one:
        yield one


class Failing:
    """Operations of which one cannot be moved."""

    def __init__(self, use: Ports, broken: UUID, error: Exception) -> None:
        self._inner = use.operations
        self._broken = broken
        self._error = error

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 -- whatever the real one has
        return getattr(self._inner, name)

    async def prepare_items(self, unit: Any, operation: Operation, limit: int) -> None:  # noqa: ANN401 -- passed on
        if operation.operation_id == self._broken:
            raise self._error
        await self._inner.prepare_items(unit, operation, limit)


def failing(operating: Operating, broken: Operation, error: Exception) -> Ports:
    return replace(
        operating.use,
        operations=Failing(operating.use, broken.operation_id, error),
        limits=Limits(step_failures_max=FAILURES_MAX),
    )


async def two(operating: Operating) -> tuple[Operation, Operation]:
    letters = await operating.letters(2)
    asked = [
        await operating.asked(
            key=f"k{place}", selection=operating.selection(ids=(one.letter_id,))
        )
        for place, one in enumerate(letters)
    ]
    return asked[0], asked[1]


async def test_an_operation_that_cannot_be_moved_keeps_no_other_from_its_turn(
    operating: Operating,
) -> None:
    broken, other = await two(operating)
    use = failing(operating, broken, Retryable("the statement took too long"))

    while await step_operation(use):
        pass

    assert (await operating.now(other)).sent == 1
    now = await operating.now(broken)
    assert (now.state, now.failures) == (OperationState.PREPARING, 1)
    assert now.error == "the statement took too long"
    assert ("operation_step_failed", now.error) in await operating.deeds()


async def test_a_bug_stops_its_operation_at_once_and_a_person_lets_it_go_on(
    operating: Operating,
) -> None:
    broken, _ = await two(operating)
    use = failing(operating, broken, KeyError("customer 4711"))
    while await step_operation(use):
        pass

    stopped = await operating.now(broken)
    # What it said may be a customer's: it stands in the log alone.
    assert (stopped.state, stopped.paused_because, stopped.error) == (
        OperationState.PAUSED,
        "failing",
        "KeyError",
    )
    await steer_operation(
        broken.operation_id, stopped.version, resumed, actor="o", action="r", use=operating.use
    )
    await operating.run()

    now = await operating.now(broken)
    assert (now.sent, now.failures, now.error) == (1, 0, None)


async def test_who_looks_for_an_operation_to_step_finds_none_that_waits_for_its_replays(
    operating: Operating,
) -> None:
    await operating.letters(2)
    operation = await operating.asked(pace=Pace(1_000_000, in_flight_max=1))
    await operating.run()

    assert not await step_operation(operating.use)
    await operating.settle(((await operating.replays(operation))[0], "done"))

    assert await step_operation(operating.use)


async def test_pauses_and_ends_that_nobody_asked_for_are_on_record(
    operating: Operating,
) -> None:
    await operating.letters(2)
    operation = await operating.asked(pace=Pace(1_000_000, 100, canary=1))
    await operating.run()
    alone = await operating.now(operation)
    await steer_operation(
        operation.operation_id,
        alone.version,
        resumed,
        actor="o",
        action="operation_resumed",
        use=operating.use,
    )
    await operating.run()
    replays = await operating.replays(operation)
    await operating.settle(*((one, "done") for one in replays))
    await operating.run()

    assert await operating.deeds() == [
        ("replay_requested", "Fixed."),
        ("operation_paused", "canary"),
        ("operation_resumed", ""),
        ("operation_completed", ""),
    ]


async def test_what_is_refused_is_on_record(operating: Operating) -> None:
    await operating.letters(1)
    await operating.asked()

    with pytest.raises(Overlapping):
        await operating.asked(key="k2")
    with pytest.raises(KeyTaken):
        await request_operation(operating.wish(digest="other"), operating.use)

    deeds = await operating.deeds()
    assert [action for action, _ in deeds] == ["replay_requested"] + ["replay_refused"] * 2


async def test_many_ids_are_a_count_and_a_digest_wherever_they_are_shown(
    operating: Operating,
) -> None:
    letters = await operating.letters(3)
    ids = tuple(one.letter_id for one in letters)

    asked = await operating.asked(selection=operating.selection(ids=ids))
    turned = await operating.asked(
        Kind.UNARCHIVE, key="k2", selection=operating.selection(ids=ids[::-1])
    )

    assert asked.selector["ids"]["count"] == 3
    assert asked.selector["ids"]["digest"] == turned.selector["ids"]["digest"]
    assert operating.entries is not None
    told = str([entry.after for entry in await operating.entries()])
    assert str(ids[0]) not in told
    await operating.run()
    assert (await operating.now(asked)).sent == 3


async def test_a_mended_letter_is_not_purged_before_its_new_job_has_ended(
    operating: Operating,
) -> None:
    [letter] = await operating.letters(1)
    edit = Edit(letter.letter_id, 1, {"filename": "mended.pdf"}, "edith", "A bad name.")
    replay = await edit_and_replay(edit, operating.use)

    early = await operating.asked(Kind.PURGE)
    await operating.run()
    assert await operating.outcomes(early) == [("skipped", "replay_running")]
    await operating.settle((replay.replay_id, "done"))
    late = await operating.asked(Kind.PURGE, key="k2")
    await operating.run()

    assert await operating.outcomes(late) == [("applied", None)]
