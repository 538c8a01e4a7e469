"""Somebody takes a port of a service after it was chosen, before the service listens there."""

import asyncio
from pathlib import Path

import pytest

from deploy.local import processes
from deploy.local import stack as local
from deploy.local.ports import remembered
from tests.port_taker import taking
from tests.system.client import Client
from tests.system.invoices import invoice
from tests.system.stack import Stack

# Chosen before the migrations and looked at again after them.
CHOICES = 2


@pytest.mark.slow
async def test_it_comes_up_on_another_and_the_others_are_told(
    stack: Stack, client: Client
) -> None:
    await stack.stop("review")
    await stack.stop("storage")

    with taking("review_api", "storage_ops", times=CHOICES) as taken:
        await asyncio.to_thread(local.up, stack.state)

        known = remembered(stack.state)
        assert {name: len({known[name], *ports}) for name, ports in taken.items()} == {
            "review_api": CHOICES + 1,
            "storage_ops": CHOICES + 1,
        }
        assert f"PAPERLINE_REVIEW_URL={stack.address('review_api')}" in _told(stack, "ingest")
        ended = await client.ends(await client.hand_in(invoice()))
        assert ended["status"] == "completed"


def _told(stack: Stack, service: str) -> list[str]:
    process = processes.running(stack.state, service)
    assert process is not None
    return Path(f"/proc/{process.pid}/environ").read_text().split("\0")
