"""The simulation says what theory says, as far as that goes, and does what the house does."""

import math
import random
from collections.abc import Sequence

import pytest

from deploy.sizing.arrivals import WORKING_DAY, Arrival, Burst, Kind, Load
from deploy.sizing.provider import Latency, Provider
from deploy.sizing.scaling import Scaling, fixed
from deploy.sizing.simulation import House, Simulation
from deploy.sizing.waits import Day, quantile
from tests.unit.sizing.queueing import share_that_waits, waits_of_many, waits_of_one

ASKS, COMPUTES = Kind("asks", 0.0, asks=True), Kind("computes", 1.0)
HOURS = 4


def _steady(per_s: float, kind: Kind = ASKS) -> Load:
    return Load(per_s * 3600, [(kind, 1.0)], hours=(1.0,) * HOURS)


def _house(latency: Latency, *, slots: int = 1, **rest: object) -> House:
    told = {"provider": Provider(latency), "readers": fixed(1), **rest}
    return House(slots=slots, **told)  # type: ignore[arg-type]


def _run(house: House, load: Load | Sequence[Arrival]) -> Day:
    came = load.arrivals(random.Random(7)) if isinstance(load, Load) else load
    return Simulation(house, came, seed=7).run()


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


@pytest.mark.parametrize(("per_s", "servers"), [(6.4, 8), (1.4, 2), (0.7, 1)])
def test_many_servers_wait_as_erlang_says(per_s: float, servers: int) -> None:
    day = _run(_house(Latency(1.0, "exponential"), slots=servers), _steady(per_s))

    waits = day.waits(urgent=False)
    assert _mean(waits) == pytest.approx(waits_of_many(per_s, 1.0, servers), rel=0.1)
    waited = sum(one > 0 for one in waits) / len(waits)
    assert waited == pytest.approx(share_that_waits(per_s, 1.0, servers), rel=0.05)


def test_a_single_server_of_constant_work_waits_as_theory_says() -> None:
    day = _run(_house(Latency(1.0, "constant")), _steady(0.8))

    assert _mean(day.waits(urgent=False)) == pytest.approx(waits_of_one(0.8, 1.0), rel=0.1)


def test_cores_are_servers_too_whoever_holds_the_slots() -> None:
    day = _run(_house(Latency(1.0), slots=1000, cores=1), _steady(0.8, COMPUTES))

    whole = day.wholes(urgent=False)
    assert _mean(whole) == pytest.approx(waits_of_one(0.8, 1.0) + 1.0, rel=0.1)


def test_as_many_are_under_way_as_littles_law_says() -> None:
    load = Load(36_000, [(ASKS, 1.0)], hours=(1.0,))
    day = _run(_house(Latency(4.0), slots=64), load)

    in_hand = _mean([one.busy for one in day.moments])
    assert in_hand == pytest.approx(10.0 * 4.0, rel=0.05)


def test_nobody_is_lost_and_nobody_ends_before_it_came() -> None:
    load = Load(1_000, [(ASKS, 0.5), (COMPUTES, 0.5)], 0.1, WORKING_DAY, [Burst(3600, 500)])
    day = _run(_house(Latency(4.0), slots=8, window=32), load)

    came = list(load.arrivals(random.Random(7)))
    assert sorted(one.arrived_s for one in day.ended) == [one.at_s for one in came]
    assert all(one.arrived_s <= one.begun_s <= one.ended_s for one in day.ended)


def test_the_same_seed_is_the_same_day() -> None:
    one, other = (_run(_house(Latency(2.0), slots=4), _steady(1.5)) for _ in range(2))

    assert one.ended == other.ended


def test_urgent_documents_pass_by_those_that_wait() -> None:
    house = _house(Latency(1.0, "constant"), slots=4, window=16)
    burst = [Arrival(0.0, ASKS) for _ in range(400)]
    day = _run(house, [*burst, Arrival(10.0, ASKS, is_urgent=True)])

    assert day.waits(urgent=True)[0] <= 1.0
    assert day.waits(urgent=False)[-1] == pytest.approx(100.0)


def test_the_rate_of_the_provider_is_never_exceeded() -> None:
    provider = Provider(Latency(1.0, "constant"), calls_per_s=5)
    house = _house(Latency(1.0), slots=50, provider=provider)
    day = _run(house, [Arrival(0.0, ASKS) for _ in range(300)])

    ends = sorted(one.ended_s for one in day.ended)
    assert day.calls == 300
    assert day.sent_back > 0
    # A second's worth at once, then five in each second.
    assert all(later - first >= 0.999 for first, later in zip(ends, ends[10:], strict=False))
    assert ends[-1] >= 300 / 5 - 1


def test_without_places_at_the_broker_documents_wait_in_the_database() -> None:
    scaling = Scaling(1, 4, target_s=0.25)
    house = _house(Latency(1.0, "constant"), slots=4, window=16, readers=scaling)
    day = _run(house, [Arrival(0.0, ASKS) for _ in range(4_000)])

    # However many wait, the scaler is shown no more than the window.
    assert day.replicas_in(0) == 4
    assert day.backlog_peak >= 3_000


def test_a_day_has_its_hours() -> None:
    load = Load(1_000, [(ASKS, 1.0)], hours=WORKING_DAY)
    came = [one.at_s for one in load.arrivals(random.Random(1))]
    by_hour = [sum(hour <= one / 3600 < hour + 1 for one in came) for hour in range(24)]

    assert len(came) == pytest.approx(24_000, rel=0.02)
    assert max(by_hour) == pytest.approx(load.peak_per_hour, rel=0.1)
    assert by_hour.index(max(by_hour)) in (9, 10)


@pytest.mark.parametrize("shape", ["constant", "exponential", "lognormal"])
def test_a_call_takes_on_average_what_it_is_said_to(shape: str) -> None:
    latency, dice = Latency(4.0, shape), random.Random(1)  # type: ignore[arg-type]

    assert _mean([latency.draw(dice) for _ in range(50_000)]) == pytest.approx(4.0, rel=0.02)


def test_a_quantile_is_a_value_that_was_there() -> None:
    values = [1.0, 2.0, 3.0, 4.0]

    assert [quantile(values, share) for share in (0.25, 0.5, 0.95, 1.0)] == [1, 2, 4, 4]
    assert quantile([], 0.5) == 0
    assert not math.isnan(quantile(values, 0.0))
