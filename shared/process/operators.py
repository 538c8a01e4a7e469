"""What every process does for operators: it obeys them, and tells them that it is there."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from shared.bus.consumer import Consumption
from shared.bus.jobs import Wake
from shared.clock import Clock
from shared.contracts.identity import new_id
from shared.database.pool import Pool
from shared.ledger.reporting import Process
from shared.ledger.steering import Steering
from shared.process.settings import ProcessSettings
from shared.topology.queues import STEER


def obey_operators(
    service: str, own: Sequence[Consumption], pool: Pool, clock: Clock, wake: Wake
) -> tuple[Consumption, ...]:
    queue = STEER.get(service)
    if queue is None:
        return ()
    steering = Steering(pool, clock, [one.queue.name for one in own], wake=wake)
    return (Consumption(queue, many=steering.obey),)


async def nothing_to_say(_runtime: object) -> Mapping[str, str]:
    return {}


class Running(Protocol):
    """What of a runtime is told."""

    @property
    def service(self) -> str: ...

    @property
    def settings(self) -> ProcessSettings: ...

    @property
    def clock(self) -> Clock: ...


def describe_process(runtime: Running, door: str, own: Sequence[Consumption]) -> Process:
    return Process(
        service=runtime.service,
        process_id=new_id(),
        build=runtime.settings.build,
        door=door,
        started_at=runtime.clock.now(),
        queues=tuple(one.queue.name for one in own),
    )
