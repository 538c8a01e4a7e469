"""What one client may take of a broker of ours, tried on the node of these tests."""

from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from aio_pika.abc import AbstractConnection
from aiormq.exceptions import AMQPError, ChannelPreconditionFailed

from deploy.local.broker_limits import (
    CHANNELS_MAX,
    CONNECTIONS_MAX,
    MESSAGE_BYTES_MAX,
    PUBLISHER_CONNECTIONS_MAX,
    QUEUES_MAX,
    of_a_vhost,
)
from deploy.local.broker_users import VHOST
from shared.dialling import dial
from tests.broker.database import Servers
from tests.broker.servers import OwnServers
from tests.broker.vhosts import BrokerApi, own_vhost


@pytest.fixture(autouse=True)
def _ours(own_servers: OwnServers) -> OwnServers:
    """A broker that was given to the tests has limits of its own."""
    return own_servers


def _api() -> BrokerApi:
    url = Servers().amqp_api_url
    assert url is not None
    return BrokerApi(url)


async def _publish(connection: AbstractConnection, size: int) -> None:
    assert connection.transport is not None
    channel = await connection.transport.connection.channel(publisher_confirms=True)
    # To nobody: what is taken is thrown away.
    await channel.basic_publish(b"x" * size, exchange="amq.fanout", mandatory=False)
    await channel.close()


async def test_no_message_is_larger_than_sixteen_of_ours(amqp_url: str) -> None:
    connection = await dial(amqp_url, timeout_s=10)
    try:
        await _publish(connection, MESSAGE_BYTES_MAX)

        with pytest.raises(ChannelPreconditionFailed):
            await _publish(connection, MESSAGE_BYTES_MAX + 1)
    finally:
        await connection.close()


async def test_a_connection_has_so_many_channels(amqp_url: str) -> None:
    connection = await dial(amqp_url, timeout_s=10)
    try:
        assert connection.transport is not None
        raw: Any = connection.transport.connection

        assert raw.connection_tune.channel_max == CHANNELS_MAX
    finally:
        await connection.close()


async def test_the_node_has_read_the_limits_of_its_definitions() -> None:
    [of_all] = await _api().call("GET", f"vhost-limits/{quote(VHOST)}")
    [of_publishers] = await _api().call("GET", "user-limits/publisher")

    assert of_all["value"] == {"max-connections": CONNECTIONS_MAX, "max-queues": QUEUES_MAX}
    assert of_publishers["value"] == {"max-connections": PUBLISHER_CONNECTIONS_MAX}


async def test_beyond_the_limits_of_a_virtual_host_nobody_gets_anything() -> None:
    async with own_vhost() as url, AsyncExitStack() as opened:
        name = urlsplit(url).path.removeprefix("/")
        told = of_a_vhost(name)
        told["value"] = dict.fromkeys(told["value"], 1)
        path = f"parameters/{told['component']}/{name}/{told['name']}"
        await _api().call("PUT", path, told)
        connection = await dial(url, timeout_s=10)
        opened.push_async_callback(connection.close)
        channel = await connection.channel()
        await channel.declare_queue("one", durable=True)

        with pytest.raises(ChannelPreconditionFailed):
            await channel.declare_queue("two", durable=True)
        with pytest.raises((AMQPError, ConnectionError)):
            await dial(url, timeout_s=10)
