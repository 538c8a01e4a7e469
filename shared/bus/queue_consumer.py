"""Everything one process does for one queue: consume it, pause it, probe it, leave it."""

import asyncio
import logging

from shared.bus.acknowledging import acknowledge
from shared.bus.batches import Batches
from shared.bus.consumer import Bus, Consumption, DeliveryDesk
from shared.bus.decision import Done
from shared.bus.delivery import open_delivery
from shared.bus.losses import BROKER_ERRORS, loss_as_error
from shared.bus.pausing import PROTECTIVE_STOP
from shared.bus.ports import Pause
from shared.bus.slots import Slots
from shared.bus.subscription import Intake, Subscription
from shared.errors import Retryable
from shared.observability.metrics import PAUSED

log = logging.getLogger(__name__)

GET_TIMEOUT_S = 10.0


class QueueConsumer:
    def __init__(self, consumption: Consumption, bus: Bus) -> None:
        self.queue = consumption.queue
        self._bus = bus
        self._subscription = Subscription(
            bus.link,
            self.queue.name,
            prefetch=self.queue.prefetch,
            intake=self._new_intake,
        )
        self._desk = DeliveryDesk(consumption, bus, give_back=self._subscription.break_channel)
        self._paused_for: str | None = None

    async def run(self) -> None:
        if (pause := self._bus.board.paused(self.queue.name)) is not None:
            # Before the first delivery: a pause holds for a process that starts during it too.
            await self._pause(pause)
        async with asyncio.TaskGroup() as group:
            minding = group.create_task(self._mind_pauses())
            await self._subscription.run()
            minding.cancel()

    async def stop(self) -> None:
        """Take nothing more, finish what is in hand, give the rest back."""
        await self._subscription.stop()

    def _new_intake(self) -> Intake:
        return Slots(self._desk) if self.queue.slots else Batches(self._desk)

    async def _mind_pauses(self) -> None:
        while True:
            pause = self._bus.board.paused(self.queue.name)
            if pause is not None and self._subscription.is_open:
                await self._pause(pause)
            elif pause is not None:
                self._show(pause.reason)
                if pause.probe_due:
                    await self._probe(pause)
            elif not self._subscription.is_open:
                self._resume()
            await self._bus.board.next_change()

    async def _pause(self, pause: Pause) -> None:
        log.warning("paused", extra={"queue": self.queue.name, "reason": pause.reason})
        self._show(pause.reason)
        await self._subscription.pause()

    def _show(self, reason: str | None) -> None:
        """One reason at a time: an operator may pause what a dependency has paused before."""
        if self._paused_for:
            PAUSED.labels(self.queue.name, self._paused_for).set(0)
        if reason:
            PAUSED.labels(self.queue.name, reason).set(1)
        self._paused_for = reason

    def _resume(self) -> None:
        log.info("resumed", extra={"queue": self.queue.name, "reason": self._paused_for})
        self._show(None)
        self._desk.protection.reset()
        self._subscription.resume()

    async def _probe(self, pause: Pause) -> None:
        try:
            with loss_as_error():
                if not await self._bus.board.claim_probe(self.queue.name):
                    return
                if await self._probe_one(pause):
                    await self._bus.board.resume(self.queue.name, pause.reason)
        except (Retryable, *BROKER_ERRORS) as error:
            log.info("probe_failed", extra={"queue": self.queue.name, "error": repr(error)})

    async def _probe_one(self, pause: Pause) -> bool:
        """Handle one delivery. With nothing to try, only a dependency may be given a chance."""
        async with self._bus.link.channel() as channel:
            async with asyncio.timeout(GET_TIMEOUT_S):
                message = await channel.basic_get(self.queue.name)
            if message.delivery_tag is None:
                return pause.reason != PROTECTIVE_STOP
            delivery = open_delivery(message, self.queue)
            decision = await self._desk.handle(delivery)
            if decision is not None:
                await acknowledge(channel, delivery.tag)
            return isinstance(decision, Done)
