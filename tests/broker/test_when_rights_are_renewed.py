"""A checkout becomes a newer one while its servers run: they hear what it needs, and go on."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from secrets import token_hex

import aio_pika
import pytest
from aio_pika.abc import AbstractConnection
from aiormq.exceptions import ChannelAccessRefused

from deploy.local import processes, rabbitmq
from deploy.local.nodes import start_nodes, stop_nodes
from deploy.local.ports import remembered
from deploy.local.sayers import SAYERS
from deploy.local.state import State
from tests.broker.database import Servers

NEW = "tomorrow.told"


@pytest.fixture
async def state() -> AsyncIterator[State]:
    given = Servers().state
    if given is None:
        pytest.skip("PAPERLINE_TEST_STATE is not set")
    state = State(Path(given).resolve() / f"rights-{token_hex(3)}")
    state.create()
    try:
        await asyncio.to_thread(start_nodes, state, [rabbitmq.COMPONENT])
        yield state
    finally:
        await asyncio.to_thread(stop_nodes, state)
        shutil.rmtree(state.root)


async def _may_say(connection: AbstractConnection, fact: str) -> bool:
    channel = await connection.channel()
    try:
        events = await channel.get_exchange("events", ensure=False)
        await events.publish(aio_pika.Message(b"{}"), fact, mandatory=False)
    except ChannelAccessRefused:
        return False
    return True


async def test_a_new_fact_may_be_said_and_nobody_is_cut_off(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = processes.running(state, rabbitmq.COMPONENT)
    url = rabbitmq.amqp_url(state, remembered(state)["amqp"], user="storage")
    async with await aio_pika.connect(url) as connection:
        assert not await _may_say(connection, NEW)
        monkeypatch.setattr("deploy.local.sayers.SAYERS", {**SAYERS, NEW: ("storage",)})

        await asyncio.to_thread(start_nodes, state, [rabbitmq.COMPONENT])

        assert await _may_say(connection, NEW)
        assert await _may_say(connection, "document.stored")
        assert not await _may_say(connection, "document.accepted")
    assert processes.running(state, rabbitmq.COMPONENT) == before
