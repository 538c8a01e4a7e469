"""Any wait on the ladder, proven by routing it through the planned bindings.

A mistake in one binding would strand, double or misdeliver every message of some delays only,
which no test of a few chosen delays would notice.
"""

from dataclasses import dataclass

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shared.topology.ladder import DELAY_S_MAX, UNIT_S, UNITS_MAX, rest, rung_name, units
from shared.topology.plan import plan
from shared.topology.queues import UNROUTABLE, WORK_QUEUES
from tests.fakes.exchanges import Exchanges, topic_matches

EXCHANGES = Exchanges(plan())
QUEUES = [queue.name for queue in WORK_QUEUES]

queue_names = st.sampled_from(QUEUES)
delays = st.floats(min_value=0.001, max_value=DELAY_S_MAX, allow_nan=False)


@dataclass(frozen=True, slots=True)
class Journey:
    rungs: tuple[str, ...]
    waited_s: float
    arrived_in: str


def travel(exchange: str, routing_key: str) -> Journey:
    """Follow one message down the ladder, as expiry and dead-lettering carry it."""
    rungs: list[str] = []
    waited_ms = 0
    while True:
        [queue] = EXCHANGES.route(exchange, routing_key)
        arguments = EXCHANGES.queues[queue].arguments
        if "x-message-ttl" not in arguments:
            return Journey(tuple(rungs), waited_ms / 1000, queue)
        rungs.append(queue)
        waited_ms += int(arguments["x-message-ttl"])
        exchange = str(arguments["x-dead-letter-exchange"])


@given(count=st.integers(min_value=1, max_value=UNITS_MAX), queue=queue_names)
@example(count=1, queue=QUEUES[0])
@example(count=UNITS_MAX, queue=QUEUES[-1])
def test_a_message_rests_exactly_on_the_rungs_whose_bits_are_set(
    count: int, queue: str
) -> None:
    to = rest(count * UNIT_S, queue)

    journey = travel(to.exchange, to.routing_key)

    set_bits = [level for level in reversed(range(16)) if count >> level & 1]
    assert journey.rungs == tuple(rung_name(level) for level in set_bits)
    assert journey.waited_s == count * UNIT_S
    assert journey.arrived_in == queue


@given(delay_s=delays, queue=queue_names)
@settings(max_examples=300)
@example(delay_s=3.75, queue="extractor.extract")
@example(delay_s=0.1 + 0.2, queue="extractor.extract")
@example(delay_s=DELAY_S_MAX, queue="extractor.extract")
def test_a_wait_is_never_short_and_at_most_one_unit_long(delay_s: float, queue: str) -> None:
    to = rest(delay_s, queue)

    journey = travel(to.exchange, to.routing_key)

    # A billionth of a unit is a float's dust, not an early arrival.
    assert -1e-9 <= journey.waited_s - delay_s <= UNIT_S
    assert journey.arrived_in == queue


def test_the_example_of_the_design_is_written_as_its_bits() -> None:
    to = rest(3.75, "extractor.extract")

    assert to.exchange == "delay.03"
    assert to.routing_key == "0.0.0.0.0.0.0.0.0.0.0.0.1.1.1.1.extractor.extract"


@pytest.mark.parametrize(
    ("delay_s", "count"),
    [
        pytest.param(-5.0, 1, id="a wait in the past is one unit"),
        pytest.param(0.0, 1, id="no wait at all is one unit"),
        pytest.param(0.2500001, 2, id="a little more than a unit is two"),
        pytest.param(DELAY_S_MAX, UNITS_MAX, id="the longest wait sets every bit"),
        pytest.param(DELAY_S_MAX + 9_999, UNITS_MAX, id="a longer wait is the longest"),
    ],
)
def test_units_stay_within_the_sixteen_bits(delay_s: float, count: int) -> None:
    assert units(delay_s) == count


@given(count=st.integers(min_value=1, max_value=UNITS_MAX))
def test_an_unknown_queue_never_blocks_a_rung(count: int) -> None:
    to = rest(count * UNIT_S, "retired.queue")

    assert travel(to.exchange, to.routing_key).arrived_in == UNROUTABLE


@given(name=st.sampled_from(["extract", "x.extractor.extract", "extractor.extract.dead"]))
def test_a_name_that_resembles_a_queue_does_not_reach_it(name: str) -> None:
    to = rest(1.0, name)

    assert travel(to.exchange, to.routing_key).arrived_in == UNROUTABLE


@pytest.mark.parametrize(
    ("pattern", "key", "matches"),
    [
        pytest.param("*.1.#", "0.1.a.b", True, id="a star is one word and a hash any number"),
        pytest.param("*.1.#", "0.1", True, id="a hash may be nothing"),
        pytest.param("*.1.#", "1.a.b", False, id="a star is not no word"),
        pytest.param("#.b", "a.a.b", True, id="a hash may come first"),
        pytest.param("a.*", "a.b.c", False, id="a star is not two words"),
    ],
)
def test_the_matcher_of_this_test_matches_like_a_topic_exchange(
    pattern: str, key: str, matches: bool
) -> None:
    assert topic_matches(pattern, key) is matches
