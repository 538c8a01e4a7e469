"""Somebody takes a port after it was chosen for a server, before the server listens there.

Somebody answers then, and it is not ours; and ours has ended.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from secrets import token_hex

import aio_pika
import asyncpg
import pytest

from deploy.local import ports, postgres, processes, rabbitmq
from deploy.local.errors import StackError
from deploy.local.nodes import NODES, start_nodes, stop_nodes
from deploy.local.state import State
from tests.broker.database import Servers
from tests.port_taker import taking


@pytest.fixture
async def state() -> AsyncIterator[State]:
    given = Servers().state
    if given is None:
        pytest.skip("PAPERLINE_TEST_STATE is not set")
    state = State(Path(given).resolve() / f"ports-{token_hex(3)}")
    state.create()
    try:
        yield state
    finally:
        await asyncio.to_thread(stop_nodes, state)
        shutil.rmtree(state.root)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(("postgres", "amqp"), id="of both servers"),
        pytest.param(("broker_api",), marks=pytest.mark.slow, id="of the management API"),
        pytest.param(("broker_metrics",), marks=pytest.mark.slow, id="of the broker's metrics"),
        pytest.param(("erlang_distribution",), marks=pytest.mark.slow, id="between brokers"),
        pytest.param(("epmd",), marks=pytest.mark.slow, id="of epmd"),
    ],
)
async def test_the_servers_come_up_on_another(state: State, names: tuple[str, ...]) -> None:
    with taking(*names) as taken:
        await asyncio.to_thread(start_nodes, state)

        known = ports.remembered(state)
        assert all(known[name] not in taken[name] for name in names)
        await _are_ours(state, known)


@pytest.mark.slow
async def test_who_cannot_listen_is_not_said_to_be_there(
    state: State, capsys: pytest.CaptureFixture[str]
) -> None:
    with taking(*NODES, "amqp", times=99), pytest.raises(StackError, match="`ss -ltnp`"):
        await asyncio.to_thread(start_nodes, state)

    said = capsys.readouterr().out
    assert "✓" not in said
    assert all(f"✗ {title}" in said for title in NODES.values())
    assert [name for name in NODES if processes.running(state, name)] == []


async def _are_ours(state: State, known: Mapping[str, int]) -> None:
    """They know passwords that were made for this stack."""
    database = await asyncpg.connect(postgres.admin_url(state, known[postgres.COMPONENT]))
    await database.close()
    broker = await aio_pika.connect(rabbitmq.amqp_url(state, known["amqp"], user="admin"))
    await broker.close()
