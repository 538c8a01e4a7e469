"""Letters that are mended and sent on: one suite for memory and PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest

from services.monitor.domain.editing import BadEdit, Edit, StaleLetter
from services.monitor.domain.letters import LetterState
from services.monitor.domain.replays import NotReplayable
from services.monitor.handlers.editing import edit_and_replay
from services.monitor.handlers.replaying import get_letter, replay_letter
from tests.conformance.operating import Operating, in_memory, in_postgres
from tests.unit.monitor.world import dead_letter, garbage


@pytest.fixture(params=["memory", "postgres"])
async def operating(request: pytest.FixtureRequest) -> AsyncIterator[Operating]:
    async with in_memory() if request.param == "memory" else in_postgres() as one:
        yield one


def edit(letter_id: UUID, seen: int = 1, **patch: Any) -> Edit:  # noqa: ANN401 -- JSON
    return Edit(letter_id, seen, patch or {"filename": "mended.pdf"}, "edith", "A bad name.")


def nested(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {}
    for _ in range(depth):
        inner = {"a": inner}
    return inner


async def test_the_letter_is_superseded_by_a_job_of_its_own(operating: Operating) -> None:
    [letter] = await operating.letters(1)

    replay = await edit_and_replay(edit(letter.letter_id), operating.use)

    now = await get_letter(letter.letter_id, operating.use)
    assert (now.state, now.superseded_by) == (LetterState.SUPERSEDED, replay.job_id)
    assert now.version > letter.version
    assert (replay.queue, replay.run) == (letter.origin_queue, letter.run + 1)
    assert replay.job_id != letter.job_id


async def test_its_end_settles_the_replay_and_leaves_the_letter(operating: Operating) -> None:
    [letter] = await operating.letters(1)
    replay = await edit_and_replay(edit(letter.letter_id), operating.use)

    await operating.settle((replay.replay_id, "done"))

    known = await operating.use.replays.find_replay(replay.replay_id)
    assert known is not None
    assert known.outcome == "done"
    now = await get_letter(letter.letter_id, operating.use)
    assert now.state is LetterState.SUPERSEDED


async def test_of_those_who_mend_and_replay_one_sends(operating: Operating) -> None:
    [letter] = await operating.letters(1)

    ended = await asyncio.gather(
        *(edit_and_replay(edit(letter.letter_id), operating.use) for _ in range(4)),
        *(replay_letter(letter.letter_id, "otto", "Mine.", operating.use) for _ in range(4)),
        return_exceptions=True,
    )

    assert sum(not isinstance(one, NotReplayable) for one in ended) == 1


async def test_who_looked_at_another_version_mends_nothing(operating: Operating) -> None:
    [letter] = await operating.letters(1)

    with pytest.raises(StaleLetter):
        await edit_and_replay(edit(letter.letter_id, seen=7), operating.use)

    assert (await get_letter(letter.letter_id, operating.use)).state is LetterState.OPEN


@pytest.mark.parametrize(
    "patch",
    [
        {"owner_id": "somebody-else"},
        {"document_id": "0199a5a0-0000-7000-8000-000000000001"},
        {"accepted_at": None},
        {"sha256": "not a digest"},
        {"content_key": None},
        {"filename": "x" * 70_000},
        {"filename": "half a pair \ud800"},
        {"nested": nested(2_000)},
    ],
    ids=["owner", "document", "accepted", "digest", "content", "size", "unicode", "depth"],
)
async def test_what_would_be_another_document_or_no_message_is_refused(
    operating: Operating, patch: dict[str, Any]
) -> None:
    [letter] = await operating.letters(1)

    with pytest.raises(BadEdit):
        await edit_and_replay(edit(letter.letter_id, **patch), operating.use)

    assert (await get_letter(letter.letter_id, operating.use)).state is LetterState.OPEN


async def test_what_changes_nothing_is_no_edit(operating: Operating) -> None:
    [letter] = await operating.letters(1)
    unchanged = Edit(letter.letter_id, 1, {}, "edith", "Nothing.")

    with pytest.raises(BadEdit):
        await edit_and_replay(unchanged, operating.use)


async def test_what_cannot_be_read_cannot_be_mended(operating: Operating) -> None:
    kept = await operating.keeper.kept(garbage())

    with pytest.raises(NotReplayable):
        await edit_and_replay(edit(kept.letter_id), operating.use)


async def test_what_has_no_queue_to_go_back_to_is_not_mended(operating: Operating) -> None:
    kept = await operating.keeper.kept(dead_letter(queue="extractor.no-more"))

    with pytest.raises(NotReplayable):
        await edit_and_replay(edit(kept.letter_id), operating.use)

    assert (await get_letter(kept.letter_id, operating.use)).state is LetterState.OPEN
