"""What an orchestrator and a scraper ask a process: is it alive, ready, started; its metrics.

A server of its own, so that doors without an API need no web framework, and so that a busy
API cannot make its own probe fail. `/livez` never looks at a dependency: restarting every
process because the database is away would only add to the outage.
"""

import asyncio
import json
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from shared.bus.waiting import until_beat
from shared.observability.exposition import render

# None when all is well, otherwise one line saying what is not. Raising says the same.
Check = Callable[[], Awaitable[str | None]]

HEAD_LENGTH_MAX = 8_192
CONNECTIONS_MAX = 64
EXCHANGE_TIMEOUT_S = 5.0
CHECK_TIMEOUT_S = 2.0
MESSAGE_LENGTH_MAX = 300
HEARTBEAT_S = 1.0
REASONS = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    405: "Method Not Allowed",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes
    content_type: str = "application/json"
    head_only: bool = False
    # Complete lines, each with its end.
    headers: str = ""

    def encoded(self) -> bytes:
        head = (
            f"HTTP/1.1 {self.status} {REASONS[self.status]}\r\n"
            f"content-type: {self.content_type}\r\n"
            f"content-length: {len(self.body)}\r\n"
            "cache-control: no-store\r\n"
            f"{self.headers}"
            "connection: close\r\n\r\n"
        )
        return head.encode("ascii") + (b"" if self.head_only else self.body)


class Probes:
    def __init__(
        self,
        *,
        stopping: asyncio.Event,
        may_scrape: Callable[[str], bool],
        exchange_timeout_s: float = EXCHANGE_TIMEOUT_S,
    ) -> None:
        self.started = asyncio.Event()
        # Whether what a scraper shows as `Authorization` opens the metrics to it.
        self._may_scrape = may_scrape
        self._stopping = stopping
        self._exchange_timeout_s = exchange_timeout_s
        self._checks: dict[str, Check] = {}
        self._connections = 0

    def add_check(self, name: str, check: Check) -> None:
        """One more condition of readiness. Ready means: may be sent work now."""
        self._checks[name] = check

    @asynccontextmanager
    async def listen(
        self, host: str, port: int, tls: ssl.SSLContext | None = None
    ) -> AsyncIterator[int]:
        """Answers inside the block; yields the port, which matters when 0 was asked for."""
        server = await asyncio.start_server(
            self._serve, host, port, limit=HEAD_LENGTH_MAX, ssl=tls
        )
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            await server.wait_closed()

    async def readiness(self) -> dict[str, str]:
        """Each condition with `ok` or what is wrong."""
        if self._stopping.is_set():
            return {"process": "draining"}
        if not self.started.is_set():
            return {"process": "starting"}
        names = list(self._checks)
        outcomes = await asyncio.gather(
            *(_within_time(self._checks[name]) for name in names), return_exceptions=True
        )
        return {name: _said(outcome) for name, outcome in zip(names, outcomes, strict=True)}

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        try:
            # One limit over the whole exchange: neither a client that sends a byte a second
            # nor one that never reads its answer holds more than a socket for five seconds.
            async with asyncio.timeout(self._exchange_timeout_s):
                if self._connections <= CONNECTIONS_MAX:
                    answer = await self._answer(reader)
                    writer.write(answer.encoded())
                    await writer.drain()
                    writer.close()
                    await writer.wait_closed()
        except (OSError, EOFError):  # timeouts and half requests included: nobody to answer
            pass
        finally:
            self._connections -= 1
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader) -> _Answer:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            return _problem(431)
        match head.partition(b"\r\n")[0].split(b" "):
            case [method, target, version] if version.startswith(b"HTTP/1."):
                pass
            case _:
                return _problem(400)
        if method not in (b"GET", b"HEAD"):
            return _problem(405)
        answer = await self._page(target.partition(b"?")[0], head)
        return replace(answer, head_only=method == b"HEAD")

    async def _page(self, path: bytes, head: bytes) -> _Answer:
        match path:
            case b"/livez":
                # To answer at all is the heartbeat: the event loop runs.
                return _verdict({"process": "ok"})
            case b"/startupz":
                return _verdict({"process": "ok" if self.started.is_set() else "starting"})
            case b"/readyz":
                return _verdict(await self.readiness())
            case b"/metrics":
                return self._metrics(head)
        return _problem(404)

    def _metrics(self, head: bytes) -> _Answer:
        """They tell how much business is done, so beyond the machine they are for scrapers."""
        if not self._may_scrape(_field(head, b"authorization")):
            return replace(_problem(401), headers="www-authenticate: Bearer\r\n")
        body, content_type = render(_field(head, b"accept"))
        return _Answer(200, body, content_type)


async def heartbeat(observe: Callable[[float], object]) -> None:
    """Tells how late each beat came: what blocks the event loop blocks every delivery."""
    while True:
        rest_s = until_beat(HEARTBEAT_S)
        due = time.monotonic() + rest_s
        await asyncio.sleep(rest_s)
        observe(max(0.0, time.monotonic() - due))


def _field(head: bytes, wanted: bytes) -> str:
    lines = (line.partition(b":") for line in head.split(b"\r\n")[1:])
    told = [text.strip() for name, _, text in lines if name.strip().lower() == wanted]
    return b",".join(told).decode("latin-1")


async def _within_time(check: Check) -> str | None:
    async with asyncio.timeout(CHECK_TIMEOUT_S):
        return await check()


def _said(outcome: str | BaseException | None) -> str:
    match outcome:
        case None:
            return "ok"
        case TimeoutError():
            return f"no answer within {CHECK_TIMEOUT_S:g} s"
        case BaseException():
            return f"{type(outcome).__name__}: {outcome}"[:MESSAGE_LENGTH_MAX]
    return outcome[:MESSAGE_LENGTH_MAX]


def _verdict(conditions: dict[str, str]) -> _Answer:
    ready = all(said == "ok" for said in conditions.values())
    return _Answer(200 if ready else 503, json.dumps(conditions).encode("ascii"))


def _problem(status: int) -> _Answer:
    return _Answer(status, json.dumps({"error": REASONS[status]}).encode("ascii"))
