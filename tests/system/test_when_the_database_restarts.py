"""The database goes away under load, asked to or killed, and comes back."""

from http import HTTPStatus

import pytest

from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import batch_of, invoice
from tests.system.records import Records
from tests.system.stack import Stack

COUNT = 40

ways_to_go = pytest.mark.parametrize("kill", [False, True], ids=["stopped", "killed"])


@ways_to_go
async def test_no_document_is_lost_or_doubled(
    kill: bool, client: Client, stack: Stack, records: Records
) -> None:
    batch = batch_of(COUNT)
    await client.hand_in_all(batch)
    await eventually(lambda: records.is_under_way(batch.name), within_s=30)
    await stack.stop_node("postgres", kill=kill)

    refused = await client.upload(invoice())
    await stack.start_node("postgres")

    # Nothing is promised that cannot be kept; the client is told when to come again.
    assert refused.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert int(refused.headers["Retry-After"]) > 0
    assert refused.json()["retryable"] is True
    await eventually(
        lambda: records.has_ended(batch.name, count=COUNT), within_s=60, every_s=0.2
    )
    await records.require_each_once(batch.name, count=COUNT)
    await records.require_balance(client.promised)
