"""A real broker and a real database over TLS: whoever is not sure of the other hangs up."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest
from aiormq.exceptions import AMQPConnectionError
from cryptography.x509 import load_pem_x509_certificate

from services.monitor.adapters.broker_api import ManagementApi
from services.monitor.adapters.certificates import TlsCertificates
from shared.addresses import is_closed, with_authority
from shared.bus.connection import Link
from shared.bus.losses import BROKER_ERRORS
from shared.database.durability import lost_on_a_crash_at
from shared.database.pool import DatabaseSettings, open_pool
from shared.dialling import dial
from shared.errors import Retryable
from shared.topology.declare import differences
from shared.topology.inspect import binding_differences
from shared.topology.plan import Plan
from tests.broker.database import Servers
from tests.broker.tls_servers import NUMBER, SERVER, TlsServers, tls_servers
from tests.eventually import eventually
from tests.fakes.certificates import outdated
from tests.house.repository import ROOT

IS_ENCRYPTED = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
NOTHING = Plan((), (), ())
CLOSED_RULES = ROOT / "deploy" / "compose" / "hba-tls.conf"


@pytest.fixture(scope="module")
async def servers() -> AsyncIterator[TlsServers]:
    state = Servers().state
    if state is None:
        pytest.skip("PAPERLINE_TEST_STATE is not set")
    async with tls_servers(Path(state) / "tls") as running:
        yield running


async def _asks_the_database(url: str) -> bool:
    """Whether what was said on the way was encrypted."""
    settings = DatabaseSettings(url, pool_min=0, connect_timeout_s=5, acquire_timeout_s=5)
    pool = await open_pool(settings, schema="public", application="test")
    try:
        return bool(await pool.fetchval(IS_ENCRYPTED))
    finally:
        await pool.close()


async def test_every_way_of_ours_is_closed_and_works(servers: TlsServers) -> None:
    amqp = with_authority(servers.amqp_url, servers.ca_file)
    database = with_authority(servers.database_url, servers.ca_file)

    assert all(map(is_closed, (amqp, database, servers.amqp_api_url)))
    assert await _asks_the_database(database)
    assert await lost_on_a_crash_at(database) == []
    assert await differences(amqp, NOTHING) == []
    api = ManagementApi(servers.amqp_api_url, "paperline", 10, servers.ca_file)
    assert await api.list_queues() == []
    api_url = servers.amqp_api_url
    assert await binding_differences(api_url, "paperline", NOTHING, servers.ca_file) == []


async def test_a_link_of_a_service_comes_up_over_tls(servers: TlsServers) -> None:
    link = Link(with_authority(servers.amqp_url, servers.ca_file), purpose="publish", name="t")
    async with asyncio.TaskGroup() as group:
        kept = group.create_task(link.keep())
        await eventually(lambda: link.is_up)
        async with link.channel(confirms=True) as channel:
            await channel.exchange_declare("ingest", passive=False, durable=True)
            await channel.exchange_delete("ingest")
        kept.cancel()


async def test_a_broker_of_another_authority_is_not_believed(servers: TlsServers) -> None:
    for ca_file in (servers.another_ca_file, None):
        with pytest.raises(AMQPConnectionError, match=r"(?i)certificate"):
            await _dialled(with_authority(servers.amqp_url, ca_file))


async def test_a_broker_of_another_name_is_not_believed(servers: TlsServers) -> None:
    url = with_authority(servers.amqp_url, servers.ca_file).replace(SERVER, NUMBER)

    with pytest.raises(AMQPConnectionError, match=r"(?i)mismatch"):
        await _dialled(url)


async def test_the_broker_takes_nothing_in_the_clear(servers: TlsServers) -> None:
    with pytest.raises((*BROKER_ERRORS, TimeoutError)):
        await _dialled(servers.amqp_url.replace("amqps://", "amqp://"))


@pytest.mark.parametrize("server", ["amqp_url", "amqp_api_url"])
async def test_an_older_tls_is_refused(servers: TlsServers, server: str) -> None:
    url = getattr(servers, server)
    old = outdated(ssl.create_default_context(cafile=servers.ca_file))
    port = int(url.rpartition(":")[2].partition("/")[0])

    with pytest.raises((ssl.SSLError, ConnectionError)):
        _, writer = await asyncio.open_connection("localhost", port, ssl=old)
        writer.close()


async def test_a_database_of_another_authority_is_not_believed(servers: TlsServers) -> None:
    with pytest.raises((ssl.SSLError, Retryable), match=r"(?i)certificate"):
        await _asks_the_database(with_authority(servers.database_url, servers.another_ca_file))


async def test_a_database_of_another_name_is_not_believed(servers: TlsServers) -> None:
    url = with_authority(servers.database_url, servers.ca_file).replace(SERVER, NUMBER)

    with pytest.raises((ssl.SSLError, Retryable), match=r"(?i)mismatch"):
        await _asks_the_database(url)


async def test_an_older_tls_is_refused_by_the_database_too(servers: TlsServers) -> None:
    old = outdated(ssl.create_default_context(cafile=servers.ca_file))

    with pytest.raises((ssl.SSLError, ConnectionError)):
        await asyncpg.connect(servers.database_url, ssl=old)


async def test_when_the_certificate_of_a_database_ends_is_seen(servers: TlsServers) -> None:
    where = urlsplit(servers.database_url)
    shown = load_pem_x509_certificate(servers.pair("database")[0].read_bytes())

    end = await TlsCertificates().find_end(f"postgresql://{where.hostname}:{where.port}")

    assert end == shown.not_valid_after_utc


async def test_the_database_of_compose_takes_nothing_in_the_clear(servers: TlsServers) -> None:
    """Its rules, in the place of this server's own."""
    closed = with_authority(servers.database_url, servers.ca_file)
    connection = await asyncpg.connect(closed)
    rules = Path(await connection.fetchval("SHOW hba_file"))
    own = rules.read_text()
    try:
        rules.write_text(CLOSED_RULES.read_text())
        await connection.execute("SELECT pg_reload_conf()")

        async def is_refused() -> bool:
            try:
                await _asks_the_database(closed.partition("?")[0] + "?sslmode=disable")
            except (asyncpg.InvalidAuthorizationSpecificationError, Retryable) as error:
                return "no encryption" in str(error)
            return False

        await eventually(is_refused)
        assert await _asks_the_database(closed)
    finally:
        rules.write_text(own)
        await connection.execute("SELECT pg_reload_conf()")
        await connection.close()


async def test_what_would_be_plain_is_never_tried(servers: TlsServers) -> None:
    """With verify-full the driver hangs up on a server that has no TLS, and asks nothing."""
    connection = await asyncpg.connect(with_authority(servers.database_url, servers.ca_file))
    await connection.execute("ALTER SYSTEM SET ssl = off")
    await connection.execute("SELECT pg_reload_conf()")
    await connection.close()
    url = with_authority(servers.database_url, servers.ca_file)
    plain = url.partition("?")[0]
    try:

        async def is_refused() -> bool:
            try:
                await _asks_the_database(url)
            except (ConnectionError, Retryable) as error:
                return "SSL" in str(error)
            return False

        await eventually(is_refused)
        assert not await _asks_the_database(plain)
    finally:
        connection = await asyncpg.connect(plain)
        await connection.execute("ALTER SYSTEM SET ssl = on")
        await connection.execute("SELECT pg_reload_conf()")
        await connection.close()


async def _dialled(url: str) -> None:
    connection = await dial(url, timeout_s=5)
    await connection.close()
