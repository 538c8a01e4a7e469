"""Ask the service that owns a queue to pause it, or to take from it again.

By message, for a service's pauses are its own. Who asked, why and until when is on record here
before anything happens there; that it happened, the owner tells.
"""

from dataclasses import dataclass
from datetime import datetime

from services.monitor.domain.queues import NoSuchQueue
from services.monitor.ports import Ports
from shared.audit.chain import Entry
from shared.contracts.processes import ConsumptionSteeredV1
from shared.topology.queues import PAUSABLE


@dataclass(frozen=True, slots=True)
class Steer:
    queue: str
    paused: bool
    actor: str
    reason: str
    # A pause that somebody forgets ends by itself.
    ends_at: datetime | None = None


async def steer_queue(asked: Steer, use: Ports) -> None:
    if asked.queue not in PAUSABLE:
        raise NoSuchQueue(asked.queue)
    ends_at = asked.ends_at if asked.paused else None
    async with use.ledger.unit() as unit:
        unit.send(
            ConsumptionSteeredV1(
                queue=asked.queue,
                paused=asked.paused,
                asked_by=asked.actor,
                detail=asked.reason,
                ends_at=ends_at,
            )
        )
        await use.trail.record(
            unit,
            Entry(
                actor=asked.actor,
                action="queue_paused" if asked.paused else "queue_resumed",
                resource=f"queue/{asked.queue}",
                reason=asked.reason,
                after={"ends_at": ends_at.isoformat()} if ends_at else None,
            ),
        )
