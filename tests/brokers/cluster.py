"""A broker of three nodes, below the state folder: killed, stopped and started one by one.

Empty at the beginning of a session and left behind at its end, logs and all; its nodes run
under the programs that the stacks of this run use, whichever version that is.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.local import ports, processes, rabbitmq
from deploy.local.broker_node import Member
from deploy.local.credentials import credentials
from deploy.local.errors import StackError
from deploy.local.state import State, changing
from tests.broker.vhosts import BrokerApi
from tests.brokers.balancer import balancer
from tests.eventually import eventually
from tests.system.stack import VHOST, Stack

SIZE = 3
MEMBERS = tuple(Member(number, SIZE) for number in range(1, SIZE + 1))
WHOLE_WITHIN_S = 90.0
STOP_WITHIN_S = 30.0
CONNECTS_WITHIN_S = 2.0


@dataclass(frozen=True, slots=True)
class Cluster:
    state: State
    members: Sequence[Member] = MEMBERS

    @property
    def ports(self) -> dict[str, int]:
        return ports.remembered(self.state)

    def addresses(self, port_name: str) -> list[tuple[str, int]]:
        return [(one.address, one.own(self.ports)[port_name]) for one in self.members]

    def runs(self, member: Member) -> bool:
        return processes.running(self.state, member.component) is not None

    async def start(self, *members: Member) -> None:
        """Returns when each takes connections, whatever it still has to catch up with."""
        starting = (asyncio.to_thread(self._start, member) for member in members)
        await asyncio.gather(*starting)

    async def stop(self, member: Member, *, kill: bool) -> None:
        if kill:
            await asyncio.to_thread(processes.kill, self.state, member.component)
        else:
            await asyncio.to_thread(
                processes.stop, self.state, member.component, patience_s=STOP_WITHIN_S
            )

    async def is_whole(self) -> bool:
        """Every node runs and listens, and every quorum queue has all its members and a
        leader. One that comes back after a cut runs for a moment before it listens."""
        try:
            for host, port in self.addresses("amqp"):
                async with asyncio.timeout(CONNECTS_WITHIN_S):
                    _, writer = await asyncio.open_connection(host, port)
                writer.close()
            running = [one["running"] for one in await self.api.call("GET", "nodes")]
            queues = await self.queues()
        except OSError:
            return False
        return running == [True] * SIZE and all(
            len(one.get("online", ())) == SIZE and one.get("leader")
            for one in queues
            if one["type"] == "quorum"
        )

    async def queues(self) -> list[dict[str, Any]]:
        wanted = "name,type,leader,online,members,arguments"
        found: list[dict[str, Any]] = await self.api.call(
            "GET", f"queues/{VHOST}?columns={wanted}"
        )
        return found

    @property
    def api(self) -> BrokerApi:
        """Of a node that runs."""
        alive = next(one for one in self.members if self.runs(one))
        port = alive.own(self.ports)["broker_api"]
        url = rabbitmq.api_url(self.state, port, user="admin", host=alive.address)
        return BrokerApi(url)

    async def control(self, *words: str) -> str:
        """What the first answers that can: one that has just been started runs and cannot."""
        refused: list[str] = []
        for one in filter(self.runs, self.members):
            try:
                return await asyncio.to_thread(
                    rabbitmq.control, self.state, self.ports, *words, member=one
                )
            except StackError as why:
                refused.append(str(why))
        raise StackError("; ".join(refused) or "no node runs")

    async def messages_in_queues(self) -> int:
        lines = await self.control("list_queues", "-p", VHOST, "messages", "--silent")
        counts = [int(line) for line in lines.split() if line.isdigit()]
        assert counts, lines
        return sum(counts)

    def end(self) -> None:
        # In order, the last would wait for a majority, and nobody wants to keep what they hold.
        for member in self.members:
            processes.stop(self.state, member.component, patience_s=0)
        for member in self.members:
            rabbitmq.stop_epmd(self.state, member)

    def _start(self, member: Member) -> None:
        rabbitmq.start(self.state, self.ports, member)


@asynccontextmanager
async def cluster_below(
    folder: Path, members: Sequence[Member] = MEMBERS
) -> AsyncIterator[Cluster]:
    cluster = Cluster(State(folder.resolve()), members)
    # What a killed session left behind runs until somebody ends it.
    await asyncio.to_thread(cluster.end)
    shutil.rmtree(cluster.state.root, ignore_errors=True)
    with changing(cluster.state):
        credentials(cluster.state)
        for member in members:
            ports.ensure(cluster.state, list(member.ports))
        try:
            await cluster.start(*members)
            await eventually(cluster.is_whole, within_s=WHOLE_WITHIN_S, every_s=0.5)
            yield cluster
        finally:
            await asyncio.to_thread(cluster.end)


@dataclass(frozen=True, slots=True)
class StackOnCluster(Stack):
    """A stack whose broker somebody else looks after; what waits there is asked of a node that
    is alive."""

    cluster: Cluster

    @classmethod
    def on(cls, cluster: Cluster, folder: Path) -> "StackOnCluster":
        return cls(State(folder.resolve()), cluster)

    async def messages_in_queues(self) -> int:
        return await self.cluster.messages_in_queues()

    async def control(self, *words: str) -> str:
        return await self.cluster.control(*words)


@asynccontextmanager
async def given_to_stacks(cluster: Cluster) -> AsyncIterator[Mapping[str, str]]:
    """What has to be set so that a stack uses the cluster, through one address."""
    async with (
        balancer(cluster.addresses("amqp")) as amqp,
        balancer(cluster.addresses("broker_api")) as api,
    ):
        yield {
            "AMQP_URL": rabbitmq.amqp_url(cluster.state, amqp.port, user="admin"),
            "AMQP_API_URL": rabbitmq.api_url(cluster.state, api.port, user="admin"),
            "PAPERLINE_BROKER_WORK_QUEUES": "quorum",
        }
