"""The watermark saves looks at dead rows, and may only ever make a row late, never lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.ledger.relay import Watermark

WHOLE_LOOK_S = Watermark.WHOLE_LOOK_EVERY_S
SETTLED_S = Watermark.SETTLED_S


class World:
    """A relay's looks at its outbox, under a clock that the test moves."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        self.watermark = Watermark(monotonic=lambda: self.now_s)

    def look(self, highest: int = 0, *, drained: bool = True, takes_s: float = 0.0) -> int:
        """One look that finds rows up to `highest`. Returns where it began."""
        began_at = self.watermark.now()
        self.now_s += takes_s
        self.watermark.note(highest, drained=drained)
        return began_at

    def look_for(self, seconds: float, *, every_s: float = 0.5) -> list[int]:
        began_at = []
        for _ in range(int(seconds / every_s)):
            self.now_s += every_s
            began_at.append(self.look())
        return began_at


@pytest.fixture
def world() -> World:
    return World()


def test_its_times_are_those_of_the_design() -> None:
    # Longer than a relay's transaction may last, and than anybody waits for a late row.
    assert (SETTLED_S, WHOLE_LOOK_S) == (30, 60)


def test_the_first_look_sees_everything(world: World) -> None:
    assert world.look() == 0


def test_what_was_sent_a_moment_ago_is_looked_at_again(world: World) -> None:
    world.look(highest=500)

    assert set(world.look_for(SETTLED_S - 1)) == {0}


def test_what_was_sent_half_a_minute_ago_is_passed_over(world: World) -> None:
    world.look(highest=500)

    world.look_for(SETTLED_S + 1)

    assert world.look() == 500


def test_later_rows_are_passed_over_later(world: World) -> None:
    world.look(highest=500)
    world.look_for(10)
    world.look(highest=800)

    world.look_for(SETTLED_S - 9)

    assert world.look() == 500
    world.look_for(11)
    assert world.look() == 800


def test_once_a_minute_everything_is_looked_at(world: World) -> None:
    world.look(highest=500)

    began_at = world.look_for(5 * WHOLE_LOOK_S)

    passed_over = [at for at in began_at if at]
    whole_looks = len(began_at) - len(passed_over)
    assert set(passed_over) == {500}
    # One each minute, after the half minute in which nothing was settled yet.
    assert 4 + 2 * SETTLED_S - 2 <= whole_looks <= 5 + 2 * SETTLED_S


def test_a_backlog_is_looked_at_from_its_beginning(world: World) -> None:
    # The most urgent rows go first, so ids below the highest sent are still waiting.
    for _ in range(200):
        world.now_s += 1
        assert world.look(highest=900, drained=False) == 0


def test_a_whole_look_that_found_a_backlog_is_repeated_until_nothing_is_left(
    world: World,
) -> None:
    world.look(highest=500)
    world.look_for(SETTLED_S + 1)
    world.now_s += WHOLE_LOOK_S

    began_at = [world.look(highest=900, drained=False) for _ in range(3)]
    last_whole = world.look(highest=901)

    assert [*began_at, last_whole] == [0, 0, 0, 0]
    assert world.look() == 500


def test_a_minute_that_ends_during_a_look_does_not_count_it_as_whole(world: World) -> None:
    world.look(highest=500)
    world.look_for(WHOLE_LOOK_S - 1)

    began_at = world.look(takes_s=2)

    assert began_at == 500
    assert world.look() == 0


def test_an_empty_outbox_moves_nothing_backwards(world: World) -> None:
    world.look(highest=500)
    world.look_for(SETTLED_S + 1)

    world.look(highest=3)
    world.look_for(SETTLED_S + 1)

    assert max(world.look(), world.look()) == 500


@given(
    steps=st.lists(
        st.tuples(st.floats(0, 40), st.integers(0, 50), st.booleans()), min_size=1, max_size=80
    )
)
def test_it_never_passes_over_what_it_has_not_seen_sent_half_a_minute_ago(
    steps: list[tuple[float, int, bool]],
) -> None:
    world, highest, drained_at = World(), 0, [(0.0, 0)]
    for passes_s, more, drained in steps:
        world.now_s += passes_s
        began_at = world.watermark.now()
        settled = [top for at, top in drained_at if world.now_s - at >= SETTLED_S]
        assert began_at <= max(settled, default=0)
        highest += more
        world.watermark.note(highest, drained=drained)
        if drained:
            drained_at.append((world.now_s, highest))


@given(waits=st.lists(st.floats(0.01, 20), min_size=1, max_size=60))
def test_a_row_committed_late_below_it_is_seen_at_the_first_look_after_a_minute(
    waits: list[float],
) -> None:
    world = World()
    world.look(highest=500)
    seen_whole_s = world.now_s
    for wait_s in waits:
        world.now_s += wait_s
        began_at = world.look()
        assert began_at == 0 or world.now_s - seen_whole_s < WHOLE_LOOK_S
        if began_at == 0:
            seen_whole_s = world.now_s
