"""Three nodes below a whole suite, of which one after the other is killed all the while.

They are looked after in a thread with a loop of its own: a test that holds up its own loop must
not hold up the way to the broker.
"""

import asyncio
import threading
from asyncio import AbstractEventLoop, Event, TaskGroup, to_thread
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from deploy.local import processes
from deploy.local.rabbitmq import COMPONENT
from deploy.local.state import State
from tests.brokers.cluster import (
    WHOLE_WITHIN_S,
    Cluster,
    StackOnCluster,
    cluster_below,
    given_to_stacks,
)
from tests.eventually import eventually
from tests.nemesis.pace import a_while

# Long enough for what depends on a node to notice that it is gone, or that it is back.
GONE_FOR_S, WHOLE_FOR_S = 3.0, 8.0


@dataclass(slots=True)
class Rolling:
    cluster: Cluster
    # What has to be set for a stack on it.
    given: Mapping[str, str]
    deaths: int = 0
    _turn: threading.Lock = field(default_factory=threading.Lock)

    async def kill_one_by_one(self) -> None:
        for member in cycle(self.cluster.members):
            async with self.undisturbed():
                self.deaths += 1
                await self.cluster.stop(member, kill=True)
                await a_while(GONE_FOR_S)
                await self.cluster.start(member)
                await self._is_whole()
            await a_while(WHOLE_FOR_S)

    @asynccontextmanager
    async def undisturbed(self) -> AsyncIterator[None]:
        """All nodes are there, and nobody is killed until the block ends."""
        await self.hold_still()
        try:
            yield
        finally:
            self._turn.release()

    async def hold_still(self) -> None:
        await to_thread(self._turn.acquire)

    async def stop(self, *, kill: bool) -> None:
        """All of them, until they are started."""
        await self.hold_still()
        ways = (self.cluster.stop(one, kill=kill) for one in self.cluster.members)
        await asyncio.gather(*ways)

    async def start(self) -> None:
        try:
            await self.cluster.start(*self.cluster.members)
            await self._is_whole()
        finally:
            self._turn.release()

    async def _is_whole(self) -> None:
        await eventually(self.cluster.is_whole, within_s=WHOLE_WITHIN_S, every_s=0.5)


@dataclass(frozen=True, slots=True)
class StackOnRolling(StackOnCluster):
    """To it, the broker is all of its nodes."""

    rolling: Rolling

    @classmethod
    def over(cls, rolling: Rolling, folder: Path) -> "StackOnRolling":
        return cls(State(folder.resolve()), rolling.cluster, rolling)

    def has_node(self, node: str) -> bool:
        if node != COMPONENT:
            return StackOnCluster.has_node(self, node)
        return any(map(self.cluster.runs, self.cluster.members))

    def family(self, component: str) -> set[int]:
        if component != COMPONENT:
            return StackOnCluster.family(self, component)
        cluster = self.cluster
        return set[int]().union(
            *(processes.family(cluster.state, one.component) for one in cluster.members)
        )

    def undisturbed(self) -> AbstractAsyncContextManager[None]:
        return self.rolling.undisturbed()

    async def stop_node(self, node: str, *, kill: bool) -> None:
        if node != COMPONENT:
            await StackOnCluster.stop_node(self, node, kill=kill)
        else:
            await self.rolling.stop(kill=kill)

    async def start_node(self, node: str) -> None:
        if node != COMPONENT:
            await StackOnCluster.start_node(self, node)
        else:
            await self.rolling.start()


@asynccontextmanager
async def rolling_below(folder: Path) -> AsyncIterator[Rolling]:
    told: Future[tuple[Rolling, AbstractEventLoop, Event]] = Future()
    living = asyncio.create_task(to_thread(asyncio.run, _live(folder, told)))
    rolling, loop, over = await asyncio.wrap_future(told)
    try:
        yield rolling
    finally:
        if not living.done():
            loop.call_soon_threadsafe(over.set)
        # Where it has failed it says so here.
        await living


async def _live(folder: Path, told: "Future[tuple[Rolling, AbstractEventLoop, Event]]") -> None:
    over = Event()
    try:
        async with cluster_below(folder) as cluster, given_to_stacks(cluster) as given:
            rolling = Rolling(cluster, given)
            async with TaskGroup() as group:
                killing = group.create_task(rolling.kill_one_by_one())
                told.set_result((rolling, asyncio.get_running_loop(), over))
                await over.wait()
                killing.cancel()
    except BaseException as error:
        if not told.done():
            told.set_exception(error)
        raise
