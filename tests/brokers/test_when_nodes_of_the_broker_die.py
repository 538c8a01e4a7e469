"""Three nodes, quorum work queues, and documents all the while: no node is worth a document."""

import asyncio
from collections import Counter
from http import HTTPStatus

import pytest

from shared.topology.queues import WORK_QUEUES
from tests.brokers.cluster import MEMBERS, SIZE, WHOLE_WITHIN_S, Cluster
from tests.brokers.handing_in import handing_in
from tests.brokers.survived import survived
from tests.eventually import eventually
from tests.nemesis.results import NODES
from tests.system.client import Client
from tests.system.invoices import batch_of, invoice
from tests.system.records import Records

BEFORE, MEANWHILE = 20, 5
ALL_END_WITHIN_S = 90

ways_to_go = pytest.mark.parametrize("kill", [False, True], ids=["stopped", "killed"])


@pytest.mark.usefixtures("stack")
async def test_every_work_queue_is_on_all_nodes(cluster: Cluster) -> None:
    await eventually(cluster.is_whole, within_s=WHOLE_WITHIN_S, every_s=0.5)
    found = {one["name"]: one for one in await cluster.queues()}
    works = [found[queue.name] for queue in WORK_QUEUES]

    assert Counter(one["type"] for one in works) == {"quorum": len(WORK_QUEUES)}
    assert {len(one["members"]) for one in works} == {SIZE}
    # Or a test that kills a node might never kill a leader.
    assert len({one["leader"] for one in works}) == SIZE


@ways_to_go
async def test_no_document_is_lost_or_doubled_while_one_after_the_other_goes(
    kill: bool, cluster: Cluster, client: Client, records: Records
) -> None:
    how = "each killed in turn" if kill else "each stopped in turn"
    async with survived(NODES, how, client, records) as told:
        async with handing_in(client, records, told.name) as stream:
            for member in MEMBERS:
                await eventually(lambda: records.is_under_way(stream.name), within_s=60)
                told.struck()
                await cluster.stop(member, kill=kill)
                await stream.flows()
                await cluster.start(member)
                await eventually(cluster.is_whole, within_s=WHOLE_WITHIN_S, every_s=0.5)
        await _all_end(stream.name, stream.count, records)

    await records.require_each_once(stream.name, count=stream.count)
    await records.require_balance(client.promised)


async def test_without_a_majority_documents_wait_and_none_is_lost(
    cluster: Cluster, client: Client, records: Records
) -> None:
    async with survived(NODES, "two of three at once", client, records) as told:
        batch = batch_of(BEFORE, told.name)
        await client.hand_in_all(batch)
        await eventually(lambda: records.is_under_way(told.name), within_s=30)
        _, *others = MEMBERS
        told.struck()
        await asyncio.gather(*(cluster.stop(one, kill=True) for one in others))

        names = [f"{told.name}-meanwhile-{number}" for number in range(MEANWHILE)]
        uploads = (client.upload(invoice(), filename=one) for one in names)
        answers = await asyncio.gather(*uploads)

        # The promise rests on the database alone, and so do the books.
        assert {one.status_code for one in answers} == {HTTPStatus.ACCEPTED}
        await records.require_balance(client.promised)

        await cluster.start(*others)
        await _all_end(told.name, BEFORE + MEANWHILE, records)

    await records.require_each_once(told.name, count=BEFORE + MEANWHILE)
    await records.require_balance(client.promised)


async def _all_end(name: str, count: int, records: Records) -> None:
    await eventually(
        lambda: records.has_ended(name, count=count), within_s=ALL_END_WITHIN_S, every_s=0.2
    )
