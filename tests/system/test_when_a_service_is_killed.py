"""`kill -9` of each service while documents are being read, and one `./paperline up`."""

import asyncio

import pytest

from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import batch_of
from tests.system.records import Records
from tests.system.stack import SERVICES, Stack

COUNT = 30


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
