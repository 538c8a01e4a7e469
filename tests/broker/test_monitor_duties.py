"""What one monitor does for all of them, on real tables."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from services.monitor.handlers.duties import perform
from services.monitor.handlers.promising import check_levels
from services.monitor.handlers.snapshotting import keep_snapshots
from shared.ledger.port import Unit
from tests.broker.monitor_world import Monitor, monitor_service
from tests.broker.told import Told


@pytest.fixture
async def monitor(database_url: str) -> AsyncIterator[Monitor]:
    async with monitor_service(database_url) as monitor:
        yield monitor


async def test_late_is_who_came_to_no_end_in_time(monitor: Monitor) -> None:
    recent = {"accepted_at": monitor.use.clock.now() - timedelta(hours=2)}
    quick, slow, lost, excused = (Told(monitor, **recent) for _ in range(4))
    await quick.tell(quick.accepted(), quick.stored())
    await slow.tell(slow.accepted(), slow.stored(), after=timedelta(minutes=6))
    await lost.tell(lost.accepted())
    await excused.tell(excused.accepted(), excused.waiting())

    async with monitor.use.ledger.unit() as unit:
        levels = await monitor.use.numbers.measure_levels(unit, monitor.use.terms)

    [normal] = [one for one in levels if one.priority == 3]
    assert (normal.due, normal.late, normal.excused) == (4, 3, 1)
    assert sum(one.due for one in levels) == 4


async def test_of_many_monitors_one_does_a_duty(monitor: Monitor) -> None:
    done = await asyncio.gather(*(check_levels(monitor.use) for _ in range(6)))
    again = await asyncio.gather(*(check_levels(monitor.use) for _ in range(6)))

    assert (sum(done), sum(again)) == (1, 0)


async def test_a_duty_that_was_cut_off_was_not_done(monitor: Monitor) -> None:
    async def dies(unit: Unit, before: Any) -> Any:  # noqa: ANN401 -- a result
        unit.send(Told(monitor).accepted())
        raise ValueError("in the middle")

    async def works(unit: Unit, before: Any) -> Any:  # noqa: ANN401 -- a result
        return {**before, "done": True}

    with pytest.raises(ValueError, match="in the middle"):
        await perform("a duty", 300, dies, monitor.use)
    assert await monitor.schema.outbox() == []

    assert await perform("a duty", 300, works, monitor.use)
    assert not await perform("a duty", 300, works, monitor.use)


async def test_an_hour_is_counted_and_kept(monitor: Monitor) -> None:
    hour = timedelta(hours=1)
    told = Told(monitor, accepted_at=monitor.use.clock.now() - hour)
    await told.tell(told.accepted(), told.stored())

    assert await keep_snapshots(monitor.use)

    last = monitor.use.clock.now().replace(minute=0, second=0, microsecond=0) - hour
    numbers = {
        one.name
        for place in (last, last - hour)
        for one in await monitor.use.numbers.count_hour(place)
        if one.value
    }
    assert "accepted" in numbers
    assert await monitor.use.facts.forget_facts(1, 10) == 0
