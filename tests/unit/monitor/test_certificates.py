"""A certificate that ends is seen before it does, whoever made it."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from services.monitor.adapters.certificates import TlsCertificates
from services.monitor.handlers.certifying import look_at_certificates
from services.monitor.settings import Settings
from shared.clock import WallClock
from shared.errors import Retryable
from shared.observability.metrics import REGISTRY
from tests.fakes.certificates import certified_for
from tests.fakes.clock import NOON


class FakeCertificates:
    def __init__(self, **ends: datetime | None) -> None:
        self.ends = ends

    async def find_end(self, address: str) -> datetime:
        end = self.ends[address]
        if end is None:
            raise Retryable("no answer", dependency="tls")
        return end


def ends_at(address: str) -> float | None:
    name = "paperline_certificate_ends_timestamp_seconds"
    return REGISTRY.get_sample_value(name, {"address": address})


@asynccontextmanager
async def server(certified: ssl.SSLContext | None) -> AsyncIterator[str]:
    def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    running = await asyncio.start_server(hang_up, "127.0.0.1", 0, ssl=certified)
    async with running:
        yield f"127.0.0.1:{running.sockets[0].getsockname()[1]}"


async def test_its_end_is_what_the_server_shows(tmp_path: Path) -> None:
    certified, _ = certified_for(tmp_path, "desk.example", days=10)

    async with server(certified) as address:
        end = await TlsCertificates().find_end(address)

    left = end - WallClock().now()
    assert timedelta(days=9, hours=23) < left <= timedelta(days=10)


async def test_a_server_without_one_is_not_seen() -> None:
    async with server(None) as address:
        with pytest.raises(Retryable):
            await TlsCertificates(timeout_s=0.2).find_end(address)


async def test_a_database_that_speaks_no_tls_is_not_seen() -> None:
    async def says_no(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(8)
        writer.write(b"N")
        writer.close()

    running = await asyncio.start_server(says_no, "127.0.0.1", 0)
    async with running:
        port = running.sockets[0].getsockname()[1]
        with pytest.raises(Retryable, match="no TLS"):
            await TlsCertificates().find_end(f"postgresql://127.0.0.1:{port}")


async def test_what_was_seen_stays_and_what_was_never_seen_ended_long_ago() -> None:
    await look_at_certificates(["desk"], FakeCertificates(desk=NOON))

    await look_at_certificates(["desk", "slip"], FakeCertificates(desk=None, slip=None))

    assert ends_at("desk") == NOON.timestamp()
    assert ends_at("slip") == 0


def settings(**given: object) -> Settings:
    known = {
        "database_url": SecretStr("postgresql://monitor@db/paperline"),
        "amqp_url": SecretStr("amqp://monitor:secret@broker/paperline"),
        "blobs_url": "file:///data",
        "cursor_secret": SecretStr("a secret of the monitor"),
    }
    return Settings(**{**known, **given})  # type: ignore[arg-type]  # checked when made


def test_servers_that_the_monitor_speaks_tls_with_are_watched_without_being_named() -> None:
    told = settings(
        amqp_url=SecretStr("amqps://monitor:secret@broker/paperline"),
        broker_api_url=SecretStr("https://monitor:secret@broker:15671"),
        blobs_url="s3://invoices",
        s3_endpoint="https://store.example",
        otlp_endpoint="https://collector.example:4318",
        tls_addresses="desk.example:443, store.example:443, postgresql://pool.example:6432",
        database_url=SecretStr(
            "postgresql://monitor:secret@one,two:5433/paperline?sslmode=verify-full"
        ),
    )

    assert told.watched_addresses() == [
        "broker:15671",
        "broker:5671",
        "collector.example:4318",
        "desk.example:443",
        "postgresql://one:5432",
        "postgresql://pool.example:6432",
        "postgresql://two:5433",
        "store.example:443",
    ]
    assert settings().watched_addresses() == []


@pytest.mark.parametrize(
    "address", ["desk.example", "https://desk.example", ":443", "a:b", "postgresql://database"]
)
def test_an_address_without_a_port_is_refused(address: str) -> None:
    with pytest.raises(ValidationError):
        settings(tls_addresses=address)
