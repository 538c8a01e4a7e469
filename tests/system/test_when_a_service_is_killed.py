"""`kill -9` of each service while documents are being read, and one `./paperline up`."""

import asyncio
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import batch_of
from tests.system.records import Records
from tests.system.stack import SERVICES, Stack

COUNT = 30
READS = "extractor"


@pytest.mark.parametrize("service", SERVICES)
async def test_every_document_ends_once(
    service: str, client: Client, stack: Stack, records: Records
) -> None:
    batch = batch_of(COUNT)
    handing_in = asyncio.ensure_future(client.hand_in_all(batch))
    await eventually(lambda: records.is_under_way(batch.name), within_s=30)

    await stack.kill(service)
    await stack.up()

    await handing_in
    await eventually(
        lambda: records.has_ended(batch.name, count=COUNT), within_s=60, every_s=0.2
    )
    await records.require_each_once(batch.name, count=COUNT)
    await records.require_balance(client.promised)


async def test_an_upload_cut_off_and_repeated_is_one_document(
    client: Client, stack: Stack, records: Records
) -> None:
    batch = batch_of(COUNT)
    handing_in = asyncio.ensure_future(client.hand_in_all(batch))
    await eventually(lambda: records.has_some(batch.name), within_s=30)

    await stack.kill("ingest")
    assert not handing_in.done()
    await stack.up()

    assert len(set(await handing_in)) == COUNT
    await eventually(
        lambda: records.has_ended(batch.name, count=COUNT), within_s=60, every_s=0.2
    )
    await records.require_each_once(batch.name, count=COUNT)


@pytest.mark.parametrize(
    "service",
    # Of one every day: what is special here is the demo, and the deaths of all are above.
    [READS, *(pytest.param(one, marks=pytest.mark.slow) for one in SERVICES if one != READS)],
)
async def test_a_demo_under_way_still_ends_with_every_document_read_once(
    service: str, client: Client, stack: Stack, records: Records, tmp_path: Path
) -> None:
    batch = batch_of(COUNT)
    for name, content in batch.files.items():
        (tmp_path / name).write_bytes(content)

    async with stack.demo(tmp_path) as demo:
        await demo.says("handing in 5/")
        await stack.kill(service)
        assert demo.runs
        steps = await stack.up()
        ended = await demo.ends()

    assert f"{service} restarted: it had died" in steps
    assert ended == 0, demo.said
    await records.require_each_once(batch.name, count=COUNT)
    # These were promised to the demo.
    client.promised |= await records.documents(batch.name)
    await records.require_balance(client.promised)
