"""The HTTP server inside somebody else's event loop: quiet, obedient, and without a name."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from pydantic import SecretStr
from starlette.types import Receive, Scope, Send

from shared.process.settings import ProcessSettings
from shared.web.server import listen, serve_app, serve_on


class SlowApp:
    """Answers when the test lets it."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.go_on = asyncio.Event()

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        self.began.set()
        await self.go_on.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"late"})


@asynccontextmanager
async def _serving(app: SlowApp, stopping: asyncio.Event) -> AsyncIterator[str]:
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        async with asyncio.TaskGroup() as group:
            group.create_task(serve_on(app, listener, stopping))
            yield f"http://127.0.0.1:{port}"
            stopping.set()


async def test_an_answer_names_no_server_and_signals_stay_ours() -> None:
    app, stopping = SlowApp(), asyncio.Event()
    app.go_on.set()
    before = signal.getsignal(signal.SIGTERM)

    async with _serving(app, stopping) as url, httpx.AsyncClient() as client:
        answer = await client.get(url)

        assert signal.getsignal(signal.SIGTERM) == before
    assert answer.text == "late"
    assert "server" not in answer.headers


async def test_a_request_in_hand_is_answered_while_the_server_stops() -> None:
    app, stopping = SlowApp(), asyncio.Event()

    async with _serving(app, stopping) as url, httpx.AsyncClient() as client:
        asked = asyncio.ensure_future(client.get(url))
        await app.began.wait()
        stopping.set()
        app.go_on.set()

        assert (await asked).text == "late"


async def test_a_taken_address_is_an_error_and_no_exit() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        settings = ProcessSettings(
            database_url=SecretStr("postgresql://me@127.0.0.1/x"),
            amqp_url=SecretStr("amqp://me:x@127.0.0.1/"),
            blobs_url="file:///var/lib/paperline",
            api_port=port,
        )

        with pytest.raises(OSError, match="in use"):
            await serve_app(SlowApp(), settings, asyncio.Event())
