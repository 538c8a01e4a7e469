"""One message a slot: for handlers that call the outside and take their time.

The prefetch is the number of slots, so nothing waits in this process that another could do,
or that an urgent document could still overtake.
"""

import asyncio

from aiormq.abc import AbstractChannel, DeliveredMessage

from shared.bus.acknowledging import acknowledge
from shared.bus.consumer import DeliveryDesk
from shared.bus.delivery import Delivery, open_delivery
from shared.ending import end_within


class Slots:
    def __init__(self, desk: DeliveryDesk) -> None:
        self._desk = desk
        self._tasks: set[asyncio.Task[None]] = set()
        self._in_hand: set[Delivery] = set()

    def take(self, message: DeliveredMessage, channel: AbstractChannel) -> None:
        task = asyncio.get_running_loop().create_task(self._one(message, channel))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(self._desk.look_after)

    async def finish(self, *, pausing: bool) -> None:
        # Everything has been started on arrival, so there is no buffer to send to wait.
        await end_within(self._tasks, self._desk.patience_s(pausing=pausing))

    def forget(self) -> None:
        """What runs goes on to its end, but comes again meanwhile: a start that the process
        lives to see lost is no evidence against the message."""
        taking_back = self._desk.take_back(tuple(self._in_hand))
        task = asyncio.get_running_loop().create_task(taking_back)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _one(self, message: DeliveredMessage, channel: AbstractChannel) -> None:
        delivery = open_delivery(message, self._desk.queue)
        self._in_hand.add(delivery)
        try:
            settled = await self._desk.handle(delivery) is not None
        finally:
            self._in_hand.discard(delivery)
        if settled:
            await acknowledge(channel, delivery.tag)
