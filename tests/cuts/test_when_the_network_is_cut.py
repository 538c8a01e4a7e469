"""Three hosts, quorum work queues, and a network that is cut under a stream of documents."""

import time
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import pytest

from tests.brokers.cluster import WHOLE_WITHIN_S, StackOnCluster
from tests.brokers.handing_in import Stream, handing_in
from tests.brokers.survived import Survived, survived
from tests.cuts.hosts import Hosts
from tests.cuts.network import Shape, apart, ring, unplugged
from tests.cuts.pulse import pulses
from tests.eventually import eventually
from tests.nemesis.pace import a_while
from tests.nemesis.results import CUTS
from tests.system.client import Client
from tests.system.records import Records
from tests.system.verdict import require_promises_kept, require_rest

CUT_S = 15.0
ALL_END_WITHIN_S = 120
# Publishing stands still for no longer than that. How long for clients of a host that hears
# nobody is told and not judged: it stops serving when it has missed its peers, which takes
# another time on every version of the broker.
MAJORITY_S, LEADER_S = 5.0, 5.0
# Nobody is missed sooner, so where publishing stood still for less, nothing was cut.
FELT_S = 3.0
# A service whose host is unplugged hears nothing until its heartbeat gives the link up.
NOTICED_WITHIN_S = 60.0
SHAPES = (
    apart("halves", 1),
    apart("another half", 3),
    ring("majorities in a ring"),
    unplugged("one host unplugged", 2),
)


@dataclass(frozen=True, slots=True)
class World:
    hosts: Hosts
    stack: StackOnCluster
    client: Client
    records: Records
    rows: list[str]

    async def is_whole(self) -> None:
        await eventually(self.hosts.cluster.is_whole, within_s=WHOLE_WITHIN_S, every_s=0.5)

    def survived(self, what: str) -> AbstractAsyncContextManager[Survived]:
        return survived(CUTS, what, self.client, self.records)

    def handing_in(self, name: str) -> AbstractAsyncContextManager[Stream]:
        return handing_in(self.client, self.records, name)

    async def all_end(self, name: str, count: int) -> None:
        await eventually(
            lambda: self.records.has_ended(name, count=count),
            within_s=ALL_END_WITHIN_S,
            every_s=0.2,
        )

    async def require_each_once(self, name: str, count: int) -> None:
        await self.records.require_each_once(name, count=count)
        await self.records.require_balance(self.client.promised)
        await require_rest(self.stack)
        await require_promises_kept(self.stack)


@pytest.fixture
def world(
    hosts: Hosts, stack: StackOnCluster, client: Client, records: Records, rows: list[str]
) -> World:
    return World(hosts, stack, client, records, rows)


@pytest.mark.parametrize("shape", SHAPES, ids=[one.name for one in SHAPES])
async def test_no_document_is_lost_or_doubled_and_a_majority_goes_on(
    shape: Shape, world: World
) -> None:
    await world.is_whole()
    async with world.survived(shape.name) as told:
        async with pulses(world.hosts) as beating, world.handing_in(told.name) as stream:
            await eventually(lambda: world.records.is_under_way(stream.name), within_s=60)
            began = time.monotonic()
            told.struck()
            with world.hosts.network.cut(shape):
                if shape.majority:
                    await stream.flows(within_s=NOTICED_WITHIN_S)
                await a_while(began + CUT_S - time.monotonic())
            lasted_s = time.monotonic() - began
            await world.is_whole()
            await beating.beat_again()
            majority_s = beating.gap_s(shape.majority, began)
            minority_s = beating.gap_s(shape.minority, began)
            await stream.flows()
        kept = await beating.kept()
        await world.all_end(stream.name, stream.count)
    await world.require_each_once(stream.name, stream.count)

    world.rows.append(
        f"cut for {lasted_s:.1f} s: {told.line}; {kept}; publishing stood still "
        f"{_of(majority_s)} with the majority, {_of(minority_s)} with the others"
    )
    assert not kept.lost
    assert not kept.doubled
    assert majority_s <= MAJORITY_S
    assert minority_s >= FELT_S


async def test_when_a_leader_is_killed_others_go_on_within_seconds(world: World) -> None:
    await world.is_whole()
    victim = world.hosts.member(2)
    async with world.survived("leader killed") as told:
        async with pulses(world.hosts) as beating, world.handing_in(told.name) as stream:
            await eventually(lambda: world.records.is_under_way(stream.name), within_s=60)
            began = time.monotonic()
            told.struck()
            await world.hosts.cluster.stop(victim, kill=True)
            await stream.flows()
            await beating.beat_again()
            gaps = [beating.gap_s([one], began) for one in (1, 2, 3)]
            await world.hosts.cluster.start(victim)
            await world.is_whole()
            await stream.flows()
        kept = await beating.kept()
        await world.all_end(stream.name, stream.count)
    await world.require_each_once(stream.name, stream.count)

    world.rows.append(
        f"{told.line}; {kept}; publishing stood still {_of(max(gaps[0], gaps[2]))}, "
        f"{_of(gaps[1])} for its own clients"
    )
    assert not kept.lost
    assert not kept.doubled
    assert max(gaps) <= LEADER_S


def _of(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds else "–"
