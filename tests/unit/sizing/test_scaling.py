"""Replicas follow the load up to what is allowed, and stay while nothing is known."""

import random
from dataclasses import replace

import pytest

from deploy.sizing import cluster, days
from deploy.sizing.arrivals import Burst, Kind, Load
from deploy.sizing.provider import Latency, Provider
from deploy.sizing.scaling import Autoscaler, Scaling, seconds_to_empty
from deploy.sizing.simulation import House, Simulation
from deploy.sizing.waits import Day, quantile

TERMS = Scaling(2, 6, target_s=10.0)
BUSY_PER_HOUR = 18_000


def _day(scaling: Scaling) -> Day:
    """Two hours of more than two readers can do, and a drawer that is emptied."""
    kinds = [(Kind("text", 0.1, asks=True), 1.0)]
    load = Load(BUSY_PER_HOUR, kinds, hours=(1.0,) * 2, bursts=[Burst(1800, 3_000)])
    provider = Provider(Latency(days.CALL_S), days.CALLS_PER_S)
    house = House(provider, scaling, window=cluster.window())
    return Simulation(house, load.arrivals(random.Random(5)), seed=5).run()


def test_a_queue_is_emptied_in_what_lies_there_by_what_is_taken() -> None:
    assert seconds_to_empty(100, 5.0, 10.0) == pytest.approx(100 / 10 - 0.5)
    # Nothing is known of a queue that nobody takes from: a pause scales nothing up.
    assert seconds_to_empty(100, 5.0, 0.0) == 0


@pytest.mark.parametrize(
    ("seconds", "wanted"), [(5.0, 2), (10.9, 2), (15.0, 3), (20.0, 4), (100.0, 6)]
)
def test_twice_as_long_as_wanted_is_twice_as_many(seconds: float, wanted: int) -> None:
    assert Autoscaler(TERMS).replicas(0.0, 2, 2, seconds) == wanted


def test_an_average_of_seconds_forgets_how_many_there_are() -> None:
    average = replace(TERMS, measure="AverageValue")

    assert Autoscaler(average).replicas(0.0, 2, 2, 30.0) == 3
    # Twice the pods in the same trouble are not more, but fewer.
    assert Autoscaler(average).replicas(0.0, 4, 4, 30.0) == 3


def test_it_goes_down_late_and_one_by_one() -> None:
    scaler = Autoscaler(TERMS)
    scaler.replicas(0.0, 6, 6, 100.0)

    told = [scaler.replicas(float(now), 6, 6, 0.0) for now in range(15, 420, 15)]
    assert told[: 300 // 15] == [6] * 20
    assert told[300 // 15] == 5
    assert set(told[300 // 15 + 1 : 300 // 15 + 4]) == {6}


def test_as_it_is_shipped_every_reader_comes_when_they_are_needed() -> None:
    day = _day(cluster.readers_scaling())

    assert day.replicas_in(0) == cluster.readers_scaling().replicas_max
    assert quantile(day.waits(urgent=False), 0.5) < 60


def test_as_keda_comes_readers_stand_idle_while_documents_wait() -> None:
    [as_it_comes] = {one.scaling for one in days.scenes() if "as KEDA comes" in one.name}
    day = _day(as_it_comes)

    assert max(day.replicas_in(hour) for hour in range(3)) < as_it_comes.replicas_max
    assert quantile(day.waits(urgent=False), 0.5) > 300
