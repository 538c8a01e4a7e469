"""An HTTP server that lives inside the process's own event loop and stops when it is told.

The server would install signal handlers and exit the process by itself; here the drain
decides, and requests in hand are finished.
"""

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp

from shared.addresses import networks_named
from shared.bus.waiting import happens, until_beat
from shared.process.settings import ProcessSettings
from shared.process.tls import OwnTls
from shared.web.forwarded import Forwarded
from shared.web.wire import Wire

BACKLOG = 1024
KEEP_ALIVE_S = 15
FINISH_S = 20
TICK_S = 1.0


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ending = asyncio.Event()

    def end(self) -> None:
        self.should_exit = True
        self._ending.set()

    async def main_loop(self) -> None:
        """The library's looks ten times a second whether it should end. This one is told; what
        is left to do now and then is the date of the answers."""
        while not await self.on_tick(0):
            await happens(self._ending, within_s=until_beat(TICK_S))

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve_app(app: ASGIApp, settings: ProcessSettings, stopping: asyncio.Event) -> None:
    """Returns when `stopping` is set and what was in hand is answered. Raises OSError when
    the address is taken."""
    behind = Forwarded(app, networks_named(settings.trusted_proxies))
    with listen(settings.host, settings.api_port) as listener:
        await serve_on(behind, listener, stopping, tls=settings.tls())


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=BACKLOG)


async def serve_on(
    app: ASGIApp,
    listener: socket.socket,
    stopping: asyncio.Event,
    *,
    protocol: type[Wire] = Wire,
    tls: OwnTls | None = None,
) -> None:
    config = uvicorn.Config(
        app,
        http=protocol,
        lifespan="off",
        ws="none",
        # Our own lines only: theirs are neither JSON nor bound to a document.
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        # Whose X-Forwarded-For is believed is decided in `forwarded.py`.
        proxy_headers=False,
        ssl_context_factory=(lambda _config, _default: tls.context) if tls else None,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=FINISH_S,
        backlog=BACKLOG,
    )
    server = _Server(config)
    async with asyncio.TaskGroup() as group:
        serving = group.create_task(server.serve(sockets=[listener]))
        stopped = group.create_task(stopping.wait())
        try:
            await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            server.end()
