"""The broker goes away under load, asked to or killed, and comes back."""

import asyncio
from http import HTTPStatus

import pytest

from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import batch_of, invoice
from tests.system.records import Records
from tests.system.stack import Stack

BEFORE, MEANWHILE = 35, 5

ways_to_go = pytest.mark.parametrize("kill", [False, True], ids=["stopped", "killed"])


@ways_to_go
async def test_no_document_is_lost_or_doubled(
    kill: bool, client: Client, stack: Stack, records: Records
) -> None:
    batch = batch_of(BEFORE)
    await client.hand_in_all(batch)
    await eventually(lambda: records.is_under_way(batch.name), within_s=30)
    await stack.stop_node("rabbitmq", kill=kill)

    try:
        names = [f"{batch.name}-meanwhile-{number}" for number in range(MEANWHILE)]
        answers = await asyncio.gather(
            *(client.upload(invoice(), filename=name) for name in names)
        )

        # The promise rests on the database alone, and so do the books.
        assert {one.status_code for one in answers} == {HTTPStatus.ACCEPTED}
        await records.require_balance(client.promised)
    finally:
        # Whatever is wrong here, the tests behind this one need it.
        await stack.start_node("rabbitmq")

    count = BEFORE + MEANWHILE
    await eventually(
        lambda: records.has_ended(batch.name, count=count), within_s=60, every_s=0.2
    )
    await records.require_each_once(batch.name, count=count)
    await records.require_balance(client.promised)
