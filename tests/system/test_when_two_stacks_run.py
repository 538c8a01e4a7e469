"""Two stacks on one machine: neither knows of the other."""

from http import HTTPStatus
from pathlib import Path

import pytest

from deploy.local.ports import remembered
from tests.system.client import Client, client_of
from tests.system.invoices import invoice
from tests.system.stack import Stack


@pytest.mark.slow
async def test_each_reads_its_own_documents(client: Client, stack: Stack, folder: Path) -> None:
    other = Stack.below(folder / "another")
    await other.begin_anew()
    try:
        async with client_of(other) as stranger:
            here, there = await client.hand_in(invoice()), await stranger.hand_in(invoice())
            ended = [await client.ends(here), await stranger.ends(there)]
            unknown = await client.http.get(
                f"{stack.address('ingest_api')}/v1/documents/{there}",
                headers={"Authorization": f"Bearer {stack.key}"},
            )
    finally:
        await other.down()

    assert [one["status"] for one in ended] == ["completed", "completed"]
    assert unknown.status_code == HTTPStatus.NOT_FOUND
    mine, theirs = remembered(stack.state), remembered(other.state)
    assert not {*mine.values()} & {*theirs.values()}
