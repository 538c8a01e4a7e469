"""A message every moment by every host: how long publishing stands still, and what is kept.

Each pulse is our own publisher, before a list of hosts that begins with its own. It sends to
queues that each host leads one of, one message after the other and each until it is confirmed,
as a relay does: so its longest gap holds the wait for whatever had to be elected or noticed.
Who publishes over a lost answer sends twice; then a copy may be there, and nothing may be lost.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count, pairwise
from secrets import token_hex

from pamqp.common import FieldValue

from deploy.local import rabbitmq
from shared.bus.connection import Link
from shared.bus.frames import Outgoing
from shared.bus.publisher import Outcome, Publisher
from tests.broker.messages import raw_channel
from tests.brokers.balancer import balancer
from tests.cuts.hosts import Hosts
from tests.cuts.network import HOSTS
from tests.eventually import eventually
from tests.nemesis.pace import a_while

EVERY_S = 0.05
LED_HERE: dict[str, FieldValue] = {
    "x-queue-type": "quorum",
    "x-queue-leader-locator": "client-local",
}


@dataclass(slots=True)
class Pulse:
    host: int
    publisher: Publisher
    queues: Sequence[str]
    # When, in the order in which it was told.
    confirmed: dict[str, float] = field(default_factory=dict)
    # What may be there twice: somebody was not told what became of it.
    unknown: set[str] = field(default_factory=set)
    over: bool = False

    async def beat(self) -> None:
        for number in count():
            if self.over:
                return
            queue = self.queues[number % len(self.queues)]
            await self._send(queue, f"{self.host}-{number}")
            await a_while(EVERY_S)

    async def _send(self, queue: str, name: str) -> None:
        message = Outgoing("", queue, name.encode(), "pulse")
        while not self.over:
            [outcome] = await self.publisher.publish([message])
            if outcome is Outcome.CONFIRMED:
                self.confirmed[name] = time.monotonic()
                return
            if outcome is Outcome.UNKNOWN:
                self.unknown.add(name)
            await a_while(EVERY_S)

    def gap_s(self, since: float) -> float:
        """The longest time without a confirmation, from the last before that moment on."""
        moments = [*self.confirmed.values(), time.monotonic()]
        before = max((one for one in moments if one <= since), default=since)
        later = [before, *(one for one in moments if one > since)]
        return max((to - since for since, to in pairwise(later)), default=0.0)


@dataclass(frozen=True, slots=True)
class Pulses:
    hosts: Hosts
    beating: Sequence[Pulse]

    def gap_s(self, of: Iterable[int], since: float) -> float:
        """The longest of these hosts' gaps; of no host, none."""
        return max((self.beating[one - 1].gap_s(since) for one in of), default=0.0)

    async def beat_again(self) -> None:
        """Each of them, some times from now on."""
        now = time.monotonic()

        def have_beaten() -> bool:
            late = [
                one.host
                for one in self.beating
                if sum(moment > now for moment in one.confirmed.values()) < len(one.queues)
            ]
            assert not late, f"no pulse by the list of host {late}"
            return True

        await eventually(have_beaten, within_s=60, every_s=0.1)

    def end(self) -> None:
        for one in self.beating:
            one.over = True

    async def kept(self) -> "Kept":
        """Of pulses that have ended: what was confirmed, and what is there."""
        return Kept(
            frozenset(name for one in self.beating for name in one.confirmed),
            frozenset(name for one in self.beating for name in one.unknown),
            Counter(await _all_of(self.hosts, self.beating[0].queues)),
        )


@dataclass(frozen=True, slots=True)
class Kept:
    confirmed: frozenset[str]
    unknown: frozenset[str]
    found: Counter[str] = field(default_factory=Counter)

    @property
    def lost(self) -> frozenset[str]:
        return self.confirmed - set(self.found)

    @property
    def doubled(self) -> frozenset[str]:
        """Though everybody had been told what became of the first."""
        return frozenset(name for name, often in self.found.items() if often > 1) - self.unknown

    def __str__(self) -> str:
        return (
            f"{len(self.confirmed)} pulses confirmed, {len(self.lost)} lost, "
            f"{len(self.doubled)} doubled, {len(self.unknown)} unknown"
        )


@asynccontextmanager
async def pulses(hosts: Hosts) -> AsyncIterator[Pulses]:
    """They beat until the block ends."""
    queues = [f"pulse.{token_hex(4)}.{host}" for host in HOSTS]
    for host, queue in zip(HOSTS, queues, strict=True):
        async with raw_channel(hosts.amqp_url(host)) as channel:
            await channel.queue_declare(queue, durable=True, arguments=LED_HERE)
    async with AsyncExitStack() as opened:
        beating = [await _pulse(opened, hosts, host, queues) for host in HOSTS]
        running = Pulses(hosts, beating)
        async with asyncio.TaskGroup() as group:
            for one in beating:
                group.create_task(one.beat())
            try:
                yield running
            finally:
                running.end()


async def _pulse(
    opened: AsyncExitStack, hosts: Hosts, host: int, queues: Sequence[str]
) -> Pulse:
    way = await opened.enter_async_context(balancer(hosts.list_of(host), in_order=True))
    url = rabbitmq.amqp_url(hosts.cluster.state, way.port, user="admin")
    link = Link(url, purpose="publish", name=f"pulse-{host}")
    keeping = asyncio.ensure_future(link.keep())
    opened.push_async_callback(_cancel, keeping)
    publisher = Publisher(link, app_id="pulse")
    opened.push_async_callback(publisher.close)
    await eventually(lambda: link.is_up)
    return Pulse(host, publisher, queues)


async def _cancel(task: "asyncio.Future[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _all_of(hosts: Hosts, queues: Sequence[str]) -> list[str]:
    """Taken out, and the queues with it."""
    found = []
    async with raw_channel(hosts.amqp_url(1)) as channel:
        for queue in queues:
            while (one := await channel.basic_get(queue, no_ack=True)).delivery_tag:
                found.append(one.body.decode())
            await channel.queue_delete(queue)
    return found
