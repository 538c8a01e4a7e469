"""User by user, deed by deed, on a real RabbitMQ that holds the whole plan."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from aio_pika.abc import AbstractConnection
from aiormq.exceptions import ChannelAccessRefused

from shared.dialling import dial
from tests.broker.rights_of_users import TABLE, Deed
from tests.broker.rights_world import installed_broker

DEEDS = [
    pytest.param(deed, id=f"{group}: {deed.what}")
    for group, deeds in TABLE.items()
    for deed in deeds
]


@pytest.fixture(scope="module")
async def connections() -> AsyncIterator[dict[str, AbstractConnection]]:
    async with AsyncExitStack() as stack:
        addresses = await stack.enter_async_context(installed_broker())
        opened = {}
        for user, address in addresses.items():
            opened[user] = await dial(address, timeout_s=10)
            stack.push_async_callback(opened[user].close)
        yield opened


# In the order of the table: what deletes comes last.
@pytest.mark.parametrize("deed", DEEDS)
async def test_the_table_is_what_the_broker_does(
    connections: dict[str, AbstractConnection], deed: Deed
) -> None:
    allowed = {user for user, one in connections.items() if await _may(one, deed, user)}

    assert allowed == deed.may


async def _may(connection: AbstractConnection, deed: Deed, user: str) -> bool:
    assert connection.transport is not None
    channel = await connection.transport.connection.channel(publisher_confirms=True)
    try:
        await deed.act(channel, user)
    except ChannelAccessRefused:
        return False
    finally:
        if not channel.is_closed:
            await channel.close()
    return True
