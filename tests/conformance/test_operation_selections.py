"""Which letters an operation finds, and what becomes of those that are not sent."""

from collections.abc import AsyncIterator

import pytest

from services.monitor.domain.letters import LetterState
from services.monitor.domain.operations import Kind
from services.monitor.handlers.replaying import get_letter, replay_letter
from services.monitor.handlers.requesting import preview_operation
from services.monitor.ports import Filter
from tests.conformance.operating import Operating, in_memory, in_postgres
from tests.unit.monitor.world import dead_letter, garbage


@pytest.fixture(params=["memory", "postgres"])
async def operating(request: pytest.FixtureRequest) -> AsyncIterator[Operating]:
    async with in_memory() if request.param == "memory" else in_postgres() as one:
        yield one


async def test_what_arrives_later_is_not_swept_in(operating: Operating) -> None:
    await operating.letters(1)
    operation = await operating.asked()
    await operating.letters(1)

    await operating.run()

    assert (await operating.now(operation)).total == 1


async def test_it_takes_no_more_letters_than_were_asked_for(operating: Operating) -> None:
    await operating.letters(5)
    operation = await operating.asked(letters_max=2)

    await operating.run()

    now = await operating.now(operation)
    assert (now.total, now.sent) == (2, 2)


async def test_letters_are_put_away_and_taken_back_out(operating: Operating) -> None:
    [letter, _] = await operating.letters(2)

    await operating.asked(Kind.ARCHIVE)
    await operating.run()
    assert (await get_letter(letter.letter_id, operating.use)).state is LetterState.ARCHIVED
    one = operating.selection(ids=(letter.letter_id,))
    await operating.run()
    operation = await operating.asked(Kind.UNARCHIVE, key="k2", selection=one)
    await operating.run()

    assert (await operating.now(operation)).applied == 1
    assert (await get_letter(letter.letter_id, operating.use)).state is LetterState.OPEN


async def test_what_is_on_its_way_is_not_purged(operating: Operating) -> None:
    kept = await operating.keeper.kept(dead_letter())
    await operating.letters(2)
    await replay_letter(kept.letter_id, "olga", "Fixed.", operating.use)

    operation = await operating.asked(Kind.PURGE)
    await operating.run()

    assert (await operating.now(operation)).applied == 2
    [left] = await operating.use.letters.list_letters(Filter(), after=None, limit=10)
    assert left.letter_id == kept.letter_id


async def test_a_preview_counts_shows_and_keeps_nothing(operating: Operating) -> None:
    await operating.keeper.kept(garbage())
    await operating.letters(2)

    seen = await preview_operation(
        Kind.REPLAY, operating.selection(queue="extractor.extract"), operating.use
    )

    assert (seen.letters, sum(one.unreplayable for one in seen.found)) == (3, 1)
    assert len(seen.sample) == 3
    assert await operating.use.operations.list_operations(state=None, after=None, limit=9) == []


@pytest.mark.parametrize(
    "named",
    [
        {"fingerprint": "a" * 16},
        {"reason": "no_page"},
        {"category": "bug"},
        {"queue": "storage.store"},
    ],
    ids=lambda named: next(iter(named)),
)
async def test_a_selection_finds_what_it_names(
    operating: Operating, named: dict[str, str]
) -> None:
    await operating.letters(1)
    wanted = await operating.keeper.kept(
        dead_letter(
            queue="storage.store",
            dead_reason="no_page",
            dead_category="bug",
            dead_fingerprint="a" * 16,
        )
    )
    operating.later()

    found = await operating.use.operations.sample_selected(
        Kind.REPLAY, operating.selection(**named), 9
    )

    assert [one.letter_id for one in found] == [wanted.letter_id]
