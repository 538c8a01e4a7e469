"""Every alert fires when what it is there for happens, told by the real metrics of a process
and seen by a real Prometheus with the rules we ship; and while all is well, none does.

What a live stack adds to this is in `tests/system/test_when_something_goes_wrong.py`; how far
each limit reaches, promtool decides in `test_alerting.py`.
"""

import sys
from asyncio import gather, subprocess, timeout
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from deploy.local.prometheus import ADVICE, prometheus_program
from deploy.local.state import REPOSITORY
from tests.contract.exposing import SECRET
from tests.contract.kinds import Gone, Made, Restarting
from tests.contract.test_alerting import ALERTS
from tests.contract.troubles import TROUBLES
from tests.eventually import eventually
from tests.house.repository import SERVICES
from tests.prometheus import Pace, Prometheus, free_port, watching

# Whoever restarts five times takes longer for it than others for their trouble.
PACE = Pace("250ms", {"": "3s", "15m": "20s"})
ANSWERED_WITHIN_S = 60.0
FIRED = 'max_over_time(ALERTS{alertstate="firing"}[4s])'
WATCHED = f"count(count_over_time(up[4s]) > 12) == {len(SERVICES)}"
# In that order: what is looked back to longest is over when all is to be well.
IN_TURN = list(reversed(ALERTS))


class Works:
    """Five processes that tell of themselves."""

    def __init__(self) -> None:
        self.ports = {service: free_port() for service in SERVICES}
        self._running: dict[str, subprocess.Process] = {}

    async def start(self, service: str) -> None:
        self._running[service] = await subprocess.create_subprocess_exec(
            *(sys.executable, "-m", "tests.contract.exposing"),
            *(service, str(self.ports[service])),
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        await self._hears(service, "listening")

    async def start_working(self, service: str) -> None:
        await self.start(service)
        await self.say(service, "work", "well")

    async def say(self, service: str, line: str, answer: str) -> None:
        pipe = self._running[service].stdin
        assert pipe is not None
        pipe.write(f"{line}\n".encode())
        await self._hears(service, answer)

    async def stop(self, service: str) -> None:
        process = self._running.pop(service)
        process.kill()
        await process.communicate()

    async def stop_all(self) -> None:
        for service in [*self._running]:
            await self.stop(service)

    async def _hears(self, service: str, answer: str) -> None:
        pipe = self._running[service].stdout
        assert pipe is not None
        async with timeout(ANSWERED_WITHIN_S):
            said = (await pipe.readline()).decode().strip()
        assert said == answer, f"{service} said {said!r}, not {answer!r}"


class Plant:
    """The processes, and who watches them."""

    def __init__(self, works: Works, prometheus: Prometheus) -> None:
        self.works, self.prometheus = works, prometheus

    async def stays_quiet(self) -> None:
        """Of the last seconds, longer than most rules look back, every look was without one."""

        async def is_and_was() -> bool:
            fired = await self.prometheus.series(FIRED)
            assert not fired, [one["metric"]["alertname"] for one in fired]
            return bool(await self.prometheus.series(WATCHED))

        await eventually(is_and_was, within_s=40, every_s=0.2)

    @asynccontextmanager
    async def in_trouble(self, alert: str) -> AsyncIterator[None]:
        works = self.works
        match TROUBLES[alert]:
            case Made(service=service):
                await works.say(service, f"begin {alert}", "obeyed")
                try:
                    yield
                finally:
                    await works.say(service, f"end {alert}", "obeyed")
            case Gone(service=service):
                await works.stop(service)
                try:
                    yield
                finally:
                    await works.start_working(service)
            case Restarting(service=service, times=times):
                for _ in range(times):
                    await self._restart(service)
                yield
                await works.say(service, "work", "well")

    async def _restart(self, service: str) -> None:
        """One that nobody saw would not count."""
        before = await self._began(service)
        await self.works.stop(service)
        await self.works.start(service)

        async def is_another() -> bool:
            return await self._began(service) not in (None, before)

        await eventually(is_another, within_s=20)

    async def _began(self, service: str) -> str | None:
        asked = f'process_start_time_seconds{{service="{service}"}}'
        found = await self.prometheus.series(asked)
        return str(found[0]["value"][1]) if found else None


@pytest.fixture(scope="module")
async def plant(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Plant]:
    program = prometheus_program()
    if program is None:
        pytest.skip(f"no Prometheus, so no alert was fired: {ADVICE}")
    works, folder = Works(), tmp_path_factory.mktemp("prometheus")
    try:
        await gather(*(works.start_working(service) for service in SERVICES))
        async with watching(program, works.ports, folder, pace=PACE, secret=SECRET) as watcher:
            yield Plant(works, watcher)
    finally:
        await works.stop_all()


def test_every_alert_has_its_trouble_and_no_trouble_is_of_an_alert_that_is_gone() -> None:
    assert TROUBLES.keys() == ALERTS.keys()


async def test_nothing_fires_while_all_is_well(plant: Plant) -> None:
    await plant.stays_quiet()


@pytest.mark.parametrize("alert", IN_TURN)
async def test_an_alert_fires_for_its_trouble(plant: Plant, alert: str) -> None:
    # What had the same effect is over.
    await plant.prometheus.is_quiet(alert)

    async with plant.in_trouble(alert):
        await plant.prometheus.fires(alert, within_s=30, **TROUBLES[alert].labels)


async def test_nothing_fires_once_all_is_mended(plant: Plant) -> None:
    await plant.stays_quiet()
