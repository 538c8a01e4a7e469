"""Batches of a steady stream begin a pace apart; what comes alone is never kept waiting."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.bus.pace import STEADY_PER_S, Pace
from shared.topology.queues import WORK_QUEUES

PACE_S = 0.05


class World:
    """A pump of batches under a clock that the test moves."""

    def __init__(self, pace_s: float = PACE_S) -> None:
        self.now_s = 1000.0
        self.pace = Pace(pace_s, monotonic=lambda: self.now_s)

    def take(self, count: int) -> None:
        self.pace.begin(count)

    def stream(self, per_s: int, *, over_s: float, every_s: float = 0.01) -> None:
        for _ in range(int(over_s / every_s)):
            self.take(int(per_s * every_s))
            self.now_s += every_s


@pytest.fixture
def world() -> World:
    return World()


def test_the_first_message_after_a_rest_is_taken_at_once(world: World) -> None:
    assert world.pace.rest_s() == 0

    world.stream(10 * STEADY_PER_S, over_s=3)
    world.now_s += 1

    assert world.pace.rest_s() == 0


def test_a_thin_stream_is_never_kept_waiting(world: World) -> None:
    for _ in range(5):
        world.stream(STEADY_PER_S - 60, over_s=1)
        world.take(1)
        assert world.pace.rest_s() == 0


def test_a_steady_stream_waits_until_a_pace_after_the_last_beginning(world: World) -> None:
    world.take(STEADY_PER_S)

    assert world.pace.rest_s() == pytest.approx(PACE_S)
    world.now_s += 0.02
    assert world.pace.rest_s() == pytest.approx(PACE_S - 0.02)
    world.now_s += 0.04
    assert world.pace.rest_s() == 0


def test_a_batch_that_took_longer_than_the_pace_is_followed_at_once(world: World) -> None:
    world.take(STEADY_PER_S)
    world.now_s += 3 * PACE_S

    assert world.pace.rest_s() == 0


def test_a_queue_without_a_pace_is_never_kept_waiting() -> None:
    world = World(pace_s=0)
    world.stream(10 * STEADY_PER_S, over_s=2)

    assert world.pace.rest_s() == 0


@given(st.lists(st.tuples(st.integers(1, 400), st.floats(0, 2)), max_size=50))
def test_nothing_waits_longer_than_a_pace(taken: list[tuple[int, float]]) -> None:
    world = World()
    for count, later_s in taken:
        world.take(count)
        assert 0 <= world.pace.rest_s() <= PACE_S
        world.now_s += later_s
        assert 0 <= world.pace.rest_s() <= PACE_S


def test_only_what_nobody_waits_for_has_a_pace() -> None:
    """A step of a document's way begins when its order is there; facts are told to views."""
    paced = {queue.name: queue.pace_s for queue in WORK_QUEUES if queue.pace_s}

    assert paced == {"ingest.status": 0.05, "monitor.watch": 0.1}
    assert not any(queue.inbox or queue.slots for queue in WORK_QUEUES if queue.pace_s)
