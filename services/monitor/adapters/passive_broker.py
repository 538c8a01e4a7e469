"""How full the broker's queues are, as it tells it itself: what is ready, who consumes."""

from services.monitor.domain.overview import QueueState
from services.monitor.ports import Broker
from shared.bus.looking import QueueLooker
from shared.errors import Retryable


class PassiveBroker:
    def __init__(self, looker: QueueLooker) -> None:
        self._looker = looker

    async def list_queues(self) -> list[QueueState] | None:
        found = [
            QueueState(one.queue, one.ready, None, one.consumers)
            for one in await self._looker.look()
        ]
        return sorted(found, key=lambda queue: queue.name)


class RicherBroker:
    """What the management API tells, and what the broker itself tells while that is away."""

    def __init__(self, rich: Broker, plain: Broker) -> None:
        self._rich = rich
        self._plain = plain

    async def list_queues(self) -> list[QueueState] | None:
        try:
            return await self._rich.list_queues()
        except Retryable:
            return await self._plain.list_queues()
