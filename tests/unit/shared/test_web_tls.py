"""Doors that speak TLS: 1.2 or newer, with a certificate that may be replaced meanwhile."""

import asyncio
import os
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from shared.client import Away, Client, ClientError
from shared.process.probes import Probes
from shared.process.tls import OwnTls, keep_certificate
from shared.web.server import listen, serve_on
from tests.eventually import eventually
from tests.fakes.certificates import certified_for, outdated


async def app(scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["scheme"].encode()})


class Pair:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.both = folder / "server.pem"
        self.ca_file = folder / "ca.pem"
        self.trust = self.make("localhost")
        self.tls = OwnTls(self.both, self.both)

    def make(self, name: str) -> ssl.SSLContext:
        _, trust = certified_for(self.folder, name)
        text = self.both.read_text()
        self.ca_file.write_text(text[text.index("-----BEGIN CERTIFICATE") :])
        return trust


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    yield Pair(tmp_path)


@asynccontextmanager
async def _serving(tls: OwnTls | None) -> AsyncIterator[int]:
    stopping = asyncio.Event()
    with listen("127.0.0.1", 0) as listener:
        async with asyncio.TaskGroup() as group:
            group.create_task(serve_on(app, listener, stopping, tls=tls))
            yield listener.getsockname()[1]
            stopping.set()


async def _asked(port: int, trust: ssl.SSLContext) -> str:
    async with httpx.AsyncClient(verify=trust) as client:
        return (await client.get(f"https://localhost:{port}/")).text


async def test_an_api_with_a_certificate_speaks_tls_and_knows_it(pair: Pair) -> None:
    async with _serving(pair.tls) as port:
        assert await _asked(port, pair.trust) == "https"


async def test_it_takes_nothing_in_the_clear(pair: Pair) -> None:
    async with _serving(pair.tls) as port, httpx.AsyncClient() as client:
        with pytest.raises(httpx.TransportError):
            await client.get(f"http://localhost:{port}/")


async def test_an_older_tls_is_refused(pair: Pair) -> None:
    async with _serving(pair.tls) as port:
        with pytest.raises(httpx.ConnectError):
            await _asked(port, outdated(pair.trust))


async def test_somebody_who_believes_another_authority_does_not_come_in(
    pair: Pair, tmp_path_factory: pytest.TempPathFactory
) -> None:
    _, another = certified_for(tmp_path_factory.mktemp("another"), "localhost")
    async with _serving(pair.tls) as port:
        with pytest.raises(httpx.ConnectError, match=r"(?i)certificate"):
            await _asked(port, another)


async def test_another_name_is_not_believed(pair: Pair) -> None:
    trust = pair.make("desk.example")
    async with _serving(OwnTls(pair.both, pair.both)) as port:
        with pytest.raises(httpx.ConnectError, match=r"(?i)hostname"):
            await _asked(port, trust)


async def test_a_certificate_that_is_replaced_is_shown_from_then_on(pair: Pair) -> None:
    async with _serving(pair.tls) as port:
        await _asked(port, pair.trust)
        renewed = pair.make("localhost")
        keeping = asyncio.ensure_future(keep_certificate(pair.tls, every_s=0.01))
        try:

            async def is_shown() -> bool:
                try:
                    return await _asked(port, renewed) == "https"
                except httpx.ConnectError:
                    return False

            await eventually(is_shown)
        finally:
            keeping.cancel()


def test_half_of_a_pair_takes_the_place_of_none(pair: Pair) -> None:
    assert pair.tls.take_anew() is False
    pair.both.write_text("the new key is not written yet")

    with pytest.raises(ValueError, match="no certificate and its key"):
        pair.tls.take_anew()

    pair.make("localhost")
    os.utime(pair.both)
    assert pair.tls.take_anew() is True


def test_a_key_with_a_password_asks_nobody(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no certificate and its key"):
        OwnTls(tmp_path / "none.crt", tmp_path / "none.key")


async def test_the_ops_port_speaks_tls_too(pair: Pair) -> None:
    probes = Probes(stopping=asyncio.Event(), may_scrape=lambda _: True)
    async with probes.listen("127.0.0.1", 0, pair.tls.context) as port:
        async with httpx.AsyncClient(verify=pair.trust) as client:
            answer = await client.get(f"https://localhost:{port}/livez")
        with pytest.raises(httpx.TransportError):
            async with httpx.AsyncClient() as client:
                await client.get(f"http://localhost:{port}/livez")

    assert answer.status_code == 200


async def test_the_client_believes_whom_it_is_told(pair: Pair) -> None:
    def calls(ca_file: Path | None) -> None:
        with Client(address, "key", ca_file=ca_file, patience_s=0) as client:
            # Anything that is answered at all: what is served here is no API.
            client.delete(uuid4())

    async with _serving(pair.tls) as port:
        address = f"https://localhost:{port}"
        await asyncio.to_thread(calls, pair.ca_file)
        with pytest.raises(Away, match=r"(?i)certificate"):
            await asyncio.to_thread(calls, None)


def test_the_client_refuses_an_authority_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ClientError, match="no authority to believe"):
        Client("https://localhost:1", "key", ca_file=tmp_path / "none.pem")
