"""What runs out, made in a process that tells of it: by the code that measures it, on fakes."""

import os
import resource
from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from typing import Any, cast

from services.extractor.adapters.spending import PostgresSpending
from services.extractor.domain.protection import Ceilings
from services.monitor.domain.capacity import DATABASE_CONNECTIONS, of_node, scarcest
from services.monitor.handlers.capacity import measure_capacity
from shared.database.pool import Pool
from shared.observability import metrics
from shared.topology.queues import WATCH
from tests.contract.kinds import Made, Trouble, passes
from tests.contract.works import Works
from tests.fakes.capacity import FakeServer
from tests.fakes.clock import NOON

A_LOT, MORE = 10_000, 500
FILES = 256
LATE_S = 3.0


class Day:
    """A day's money in the database: so much of it is spent whenever it is asked."""

    def __init__(self, used: int) -> None:
        self._used = used

    async def fetch(self, *_: object) -> list[dict[str, Any]]:
        return [{"payer": "", "day": NOON.date(), "used": Decimal(self._used)}]


async def connect(share: float, _: Works) -> None:
    await measure_capacity([FakeServer(**{DATABASE_CONNECTIONS: share})])


async def fill_node(used: float, _: Works) -> None:
    full = of_node(used, 100, disk=1_000, disk_limit=50)
    empty = of_node(1, 100, disk=1_000, disk_limit=50)
    await measure_capacity([FakeServer(**scarcest([empty, full]))])


async def pile_up(works: Works) -> None:
    ready = works.monitor.broker.queues
    most = max((one.ready for one in ready or ()), default=0)
    await works.fill(WATCH, ready=max(most, A_LOT) + MORE, consumers=1)


async def spend(used: int, _: Works) -> None:
    spending = PostgresSpending(cast(Pool, Day(used)), Ceilings(total=Decimal(100)))
    await spending.reserve_spending("acme", Decimal(1))


async def wait_for_a_connection(_: Works) -> None:
    metrics.POOL_WAIT_SECONDS.observe(LATE_S)


async def be_late(_: Works) -> None:
    metrics.EVENT_LOOP_LAG_SECONDS.observe(LATE_S)


class Files:
    """Really opened, as by somebody who never closes."""

    def __init__(self) -> None:
        self._opened: list[int] = []
        self._before: tuple[int, int] | None = None

    async def open_many(self, _: Works) -> None:
        if self._before is None:
            self._before = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, self._before[1]))
            self._opened = [os.dup(0) for _ in range(int(FILES * 0.85))]

    async def close_all(self, _: Works) -> None:
        for number in self._opened:
            os.close(number)
        self._opened = []
        if self._before is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, self._before)
            self._before = None


FILES_OPENED = Files()

SCARCE: Mapping[str, Trouble] = {
    "DatabaseConnectionsShort": Made("monitor", partial(connect, 0.9), partial(connect, 0.1)),
    "DatabaseNotVacuumed": Made(
        "storage",
        lambda works: works.owe(dead=100_001),
        lambda works: works.owe(),
        {"service": "storage"},
    ),
    "BrokerShort": Made(
        "monitor", partial(fill_node, 90), partial(fill_node, 1), {"resource": "broker_memory"}
    ),
    "QueueGrows": Made(
        "monitor",
        pile_up,
        lambda works: works.fill(WATCH, ready=0, consumers=1),
        {"queue": WATCH.name},
    ),
    "PoolTooSmall": Made("review", wait_for_a_connection, passes, {"service": "review"}),
    "EventLoopLags": Made("review", be_late, passes, {"service": "review"}),
    "FilesRunOut": Made(
        "ingest", FILES_OPENED.open_many, FILES_OPENED.close_all, {"service": "ingest"}
    ),
    "MoneyNearlySpent": Made("extractor", partial(spend, 90), partial(spend, 10)),
}
