"""A desk whose surroundings are fakes, to see what one delivery does to each of them."""

import asyncio
from collections.abc import Sequence
from typing import Any

from shared.bus.consumer import Bus, Consumption, DeliveryDesk
from shared.bus.decision import Decision
from shared.bus.delivery import Delivery
from shared.bus.headers import DEAD_REASON
from shared.bus.jobs import Job
from shared.bus.running import Solo
from shared.topology.queues import EXTRACT, WorkQueue
from tests.fakes.bus import FakePauseBoard, FakePublisher, InMemoryJobRecord, no_link
from tests.fakes.clock import FakeClock
from tests.fakes.deliveries import delivery


class DeskWorld:
    """A desk whose handler raises what a test says, or blocks until it is told."""

    def __init__(
        self, queue: WorkQueue = EXTRACT, consumption: Consumption | None = None
    ) -> None:
        self.queue = queue
        self.publisher = FakePublisher()
        self.record = InMemoryJobRecord(FakeClock())
        self.board = FakePauseBoard()
        self.error: BaseException | None = None
        self.seen: list[Job[Any]] = []
        self.blocks = asyncio.Event()
        self.blocks.set()
        self.given_back = 0
        self.solo = Solo()
        bus = Bus(
            link=no_link(),
            publisher=self.publisher,
            record=self.record,
            board=self.board,
            solo=self.solo,
            on_stuck=lambda _: None,
        )
        consumption = consumption or Consumption(queue, one=self.do_one)
        self.desk = DeliveryDesk(consumption, bus, give_back=self._give_back)

    async def do_one(self, job: Job[Any]) -> None:
        self.seen.append(job)
        await self.blocks.wait()
        if self.error is not None:
            raise self.error
        self.record.mark_done(self.queue, job)

    async def deliver(self, arrived: Delivery | None = None, **how: Any) -> Decision | None:  # noqa: ANN401
        return await self.desk.handle(arrived or delivery(self.queue, **how))

    @property
    def reasons(self) -> Sequence[str]:
        return [
            row.headers[DEAD_REASON] for row in self.record.outbox if row.exchange == "dead"
        ]

    def _give_back(self) -> None:
        self.given_back += 1
