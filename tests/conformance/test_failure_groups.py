"""Failures taken together by their cause: one suite for memory and PostgreSQL."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from services.monitor.domain.groups import Said, StaleGroup
from services.monitor.domain.operations import Kind
from services.monitor.handlers.grouping import say_of_group
from tests.conformance.operating import Operating, in_memory, in_postgres
from tests.unit.monitor.world import dead_letter

USUAL = "f" * 16
RARE = "a" * 16


@pytest.fixture(params=["memory", "postgres"])
async def operating(request: pytest.FixtureRequest) -> AsyncIterator[Operating]:
    async with in_memory() if request.param == "memory" else in_postgres() as one:
        yield one


async def test_the_largest_group_comes_first_and_shows_its_newest_letter(
    operating: Operating,
) -> None:
    await operating.keeper.kept(dead_letter(dead_fingerprint=RARE, dead_reason="no_page"))
    letters = await operating.letters(2)

    usual, rare = await operating.use.groups.list_groups(10)

    assert (usual.fingerprint, usual.letters) == (USUAL, 2)
    assert usual.letter_id in {one.letter_id for one in letters}
    assert (rare.fingerprint, rare.letters, rare.reason) == (RARE, 1, "no_page")
    assert sum(usual.trend.values()) == 2
    assert usual.first_at <= usual.last_at


async def test_what_is_settled_makes_no_group(operating: Operating) -> None:
    await operating.letters(2)
    await operating.asked(Kind.ARCHIVE)
    await operating.run()

    assert await operating.use.groups.list_groups(10) == []


async def test_what_people_say_stands_beside_the_group(operating: Operating) -> None:
    await operating.letters(1)
    until = operating.use.clock.now() + timedelta(hours=1)

    said = await say_of_group(
        Said(USUAL, "The provider is down.", "olga", until, version=0), "otto", operating.use
    )

    [group] = await operating.use.groups.list_groups(10)
    assert (group.said, group.muted) == (said, True)
    assert (said.comment, said.owner, said.version) == ("The provider is down.", "olga", 1)


async def test_a_mute_that_is_over_mutes_nothing(operating: Operating) -> None:
    await operating.letters(1)
    over = operating.use.clock.now() - timedelta(seconds=1)

    await say_of_group(Said(USUAL, muted_until=over), "otto", operating.use)

    [group] = await operating.use.groups.list_groups(10)
    assert not group.muted


@pytest.mark.parametrize("seen", [0, 2])
async def test_who_saw_something_else_says_nothing(operating: Operating, seen: int) -> None:
    await say_of_group(Said(USUAL, "first"), "olga", operating.use)

    with pytest.raises(StaleGroup) as refused:
        await say_of_group(Said(USUAL, "second", version=seen), "otto", operating.use)

    assert refused.value.now.comment == "first"


async def test_nobody_speaks_over_what_is_not_there(operating: Operating) -> None:
    with pytest.raises(StaleGroup):
        await say_of_group(Said(USUAL, "late", version=3), "otto", operating.use)

    assert (await operating.use.groups.find_said(USUAL)).version == 0
