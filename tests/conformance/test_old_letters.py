"""For how long a letter can be sent back: only while it is known whether its job was done."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest

from services.monitor.domain.editing import Edit
from services.monitor.domain.letters import DeadLetter, LetterState
from services.monitor.domain.operations import Kind
from services.monitor.domain.replays import NotReplayable
from services.monitor.handlers.editing import edit_and_replay
from services.monitor.handlers.replaying import get_letter, replay_letter
from services.monitor.handlers.requesting import preview_operation
from tests.conformance.operating import Operating, in_memory, in_postgres
from tests.unit.monitor.world import dead_letter

DAYS = 30


@pytest.fixture(params=["memory", "postgres"])
async def operating(request: pytest.FixtureRequest) -> AsyncIterator[Operating]:
    async with in_memory() if request.param == "memory" else in_postgres() as one:
        yield one


def ordered_at(moment: datetime) -> UUID:
    """An id that was made then."""
    random = uuid4().int & ((1 << 62) - 1)
    return UUID(int=int(moment.timestamp() * 1000) << 80 | 7 << 76 | 0b10 << 62 | random)


async def died(operating: Operating, age: timedelta) -> DeadLetter:
    """Just now, of a job that is so old."""
    job_id = ordered_at(operating.use.clock.now() - age)
    return await operating.keeper.kept(dead_letter(job_id=job_id))


async def test_a_job_of_which_nobody_knows_any_more_is_not_done_again(
    operating: Operating,
) -> None:
    old = await died(operating, timedelta(days=DAYS, minutes=1))
    young = await died(operating, timedelta(days=DAYS, minutes=-1))
    # Of an id that was made elsewhere, nobody knows when.
    foreign = await operating.keeper.kept(dead_letter(job_id=uuid4()))
    operating.later()

    with pytest.raises(NotReplayable, match="older than 30 days"):
        await replay_letter(old.letter_id, "olga", "Fixed.", operating.use)
    seen = await preview_operation(Kind.REPLAY, operating.selection(), operating.use)
    operation = await operating.asked()
    await operating.run()

    assert (seen.letters, sum(one.unreplayable for one in seen.found)) == (3, 1)
    assert sorted(await operating.outcomes(operation)) == [
        ("sent", None),
        ("sent", None),
        ("skipped", "too_old"),
    ]
    states = [
        (await get_letter(one.letter_id, operating.use)).state for one in (young, foreign)
    ]
    assert states == [LetterState.REPLAYING] * 2
    assert (await get_letter(old.letter_id, operating.use)).state is LetterState.OPEN


async def test_mended_it_goes_as_a_job_that_nobody_has_done(operating: Operating) -> None:
    old = await died(operating, timedelta(days=DAYS + 1))

    edit = Edit(old.letter_id, old.version, {"filename": "again.pdf"}, "edith", "Old.")
    replay = await edit_and_replay(edit, operating.use)

    assert replay.job_id != old.job_id
