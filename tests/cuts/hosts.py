"""A cluster of which each node has a host of its own, in a network that can be cut."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.local import rabbitmq
from deploy.local.broker_node import EPMD, Member
from deploy.local.state import State
from tests.brokers.cluster import Cluster, cluster_below
from tests.cuts.network import HOSTS, Network


@dataclass(frozen=True, slots=True)
class Apart(Member):
    network: Network | None = None

    @property
    def address(self) -> str:
        return self._there.address(self.number)

    @property
    def host(self) -> str:
        return self.address

    @property
    def epmd(self) -> str:
        return f"{EPMD}-{self.number}"

    @property
    def entering(self) -> Sequence[str]:
        return self._there.entering(self.number)

    @property
    def _there(self) -> Network:
        assert self.network is not None
        return self.network


@dataclass(frozen=True, slots=True)
class Hosts:
    cluster: Cluster
    network: Network

    def member(self, number: int) -> Member:
        return self.cluster.members[number - 1]

    def amqp_url(self, number: int) -> str:
        """Of the node on that host and no other."""
        member = self.member(number)
        port = member.own(self.cluster.ports)["amqp"]
        return rabbitmq.amqp_url(self.cluster.state, port, user="admin", host=member.address)

    def list_of(self, number: int) -> list[tuple[str, int]]:
        """Where a client comes that has this host first in its list."""
        known = self.cluster.addresses("amqp")
        return [*known[number - 1 :], *known[: number - 1]]


@asynccontextmanager
async def hosts_below(folder: Path) -> AsyncIterator[Hosts]:
    network = Network.of(State(folder.resolve()))
    with network.made():
        members = [Apart(number, len(HOSTS), network) for number in HOSTS]
        async with cluster_below(folder, members) as cluster:
            yield Hosts(cluster, network)
