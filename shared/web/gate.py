"""What every request passes, whichever route it asks for: limits, headers, trace, count.

Limits hold while the body arrives, since a length header may lie or be absent. A client that
drips must not keep a connection busy for ever, and more requests at once than we can serve
are told so instead of queued.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.observability import conventions as names
from shared.observability import metrics
from shared.observability.exposition import observe
from shared.observability.tracing import Span, span
from shared.web.places import PLACE, Place, Places
from shared.web.problems import METHODS, Problem, problem_response, unavailable

SECURITY_HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_SECURITY: list["Header"] = [
    (name.lower().encode(), text.encode()) for name, text in SECURITY_HEADERS.items()
]
# For those who came over TLS once: never again without it. Not under a name of every machine,
# where it would shut the doors of other programs.
_OVER_TLS: list["Header"] = [(b"strict-transport-security", b"max-age=31536000")]
_OF_EVERY_MACHINE = ("localhost", "127.0.0.1", "[::1]")
# Where a route's guard leaves the headers of its answer, whichever answer that will be.
ANSWER_HEADERS = "paperline.answer_headers"
EVENT_STREAM = "text/event-stream"
_EVENT_STREAM = EVENT_STREAM.encode()
Header = tuple[bytes, bytes]

# Of closed sets, so that what is kept is bounded; looking one up costs more than counting.
_requests = cache(metrics.HTTP_REQUESTS.labels)
_seconds = cache(metrics.HTTP_SECONDS.labels)


@dataclass(frozen=True, slots=True)
class Limits:
    body_bytes_max: int = 1 << 20
    # An upload route streams and counts by itself; these are the paths it answers under.
    upload_bytes_max: int = 1 << 20
    upload_paths: frozenset[str] = frozenset()
    # The same for routes that take many uploads in one request.
    bulk_bytes_max: int = 1 << 20
    bulk_paths: frozenset[str] = frozenset()
    body_s: float = 30.0
    upload_s: float = 300.0
    bulk_s: float = 300.0
    requests_max: int = 200

    def bytes_for(self, path: str) -> int:
        if path in self.bulk_paths:
            return self.bulk_bytes_max
        return self.upload_bytes_max if path in self.upload_paths else self.body_bytes_max

    def seconds_for(self, path: str) -> float:
        if path in self.bulk_paths:
            return self.bulk_s
        return self.upload_s if path in self.upload_paths else self.body_s


class Gate:
    """Outermost, so that its headers are on every answer and its limits before every route."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._places = Places(limits.requests_max)
        self._running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        with span(
            scope["method"],
            kind="server",
            parent=headers.get("traceparent"),
            tracestate=headers.get("tracestate", ""),
            attributes={names.HTTP_METHOD: scope["method"]},
        ) as current:
            scope[PLACE] = place = Place(self._places)
            leave = partial(self._leave, place)
            passage = _Passage(scope, receive, send, self._limits, leave)
            self._running += 1
            try:
                await self._pass(passage, headers)
            finally:
                passage.leave()
                passage.count(current)

    def _leave(self, place: Place) -> None:
        self._running -= 1
        place.give_back()

    async def _pass(self, passage: "_Passage", headers: Headers) -> None:
        if self._running > self._limits.requests_max:
            await passage.refuse(unavailable())
        elif _announced(headers) > passage.bytes_max:
            await passage.refuse(passage.too_large())
        else:
            await self._app(passage.scope, passage.receive, passage.send)


class _Passage:
    """One request on its way through."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        limits: Limits,
        on_leave: Callable[[], object],
    ) -> None:
        # What can be fetched can be asked after: the same answer, without its body.
        self._is_head = scope["method"] == "HEAD"
        self.scope = {**scope, "method": "GET"} if self._is_head else scope
        self._on_leave = on_leave
        self._left = False
        self._streams = False
        self.bytes_max = limits.bytes_for(scope["path"])
        self._receive = receive
        self._send = send
        self._began = time.monotonic()
        self._read_until = self._began + limits.seconds_for(scope["path"])
        self._bytes = 0
        self._body_ended = False
        self._status = 0
        self._only_headers_sent = False
        self._failure: Problem | None = None

    async def receive(self) -> Message:
        if self._body_ended:
            return await self._receive()
        try:
            async with asyncio.timeout(self._read_until - time.monotonic()):
                message = await self._receive()
        except TimeoutError:
            self._fail(Problem(HTTPStatus.REQUEST_TIMEOUT, "request-timeout"))
            return {"type": "http.disconnect"}
        self._body_ended = not message.get("more_body", False)
        self._bytes += len(message.get("body", b""))
        if self._bytes > self.bytes_max:
            self._fail(self.too_large())
            return {"type": "http.disconnect"}
        return message

    async def send(self, message: Message) -> None:
        # Whatever the route makes of a body that was cut off, the client is told why.
        if self._failure is not None:
            if message["type"] == "http.response.start" and not self._status:
                await self.refuse(self._failure)
        elif message["type"] == "http.response.start":
            self._begin(message)
            await self._send(message)
            if self._is_head:
                # Now, and not with the body: that of a stream may never end. The server takes
                # the answer for complete, and tells the route that nobody listens any more.
                self._only_headers_sent = True
                await self._send({"type": "http.response.body"})
        elif not self._only_headers_sent:
            await self._send(message)

    def _begin(self, message: Message) -> None:
        self._status = message["status"]
        headers = message["headers"] = list(message["headers"])
        _complete(headers, _encoded(self.scope.get(ANSWER_HEADERS, {})))
        _complete(headers, _SECURITY)
        if self.scope["scheme"] == "https" and not _is_of_every_machine(self.scope):
            _complete(headers, _OVER_TLS)
        self._streams = any(
            name == b"content-type" and value.startswith(_EVENT_STREAM)
            for name, value in headers
        )
        if self._streams:
            # Whoever listens costs next to nothing, and has a limit of its own.
            self.leave()

    async def refuse(self, problem: Problem) -> None:
        # The rest of the body is not read, so the connection cannot serve another request.
        problem.headers["Connection"] = "close"
        self._failure = None
        await problem_response(problem)(self.scope, self._receive, self.send)
        self._failure = problem

    def leave(self) -> None:
        if not self._left:
            self._left = True
            self._on_leave()

    def too_large(self) -> Problem:
        return Problem(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            "too_large",
            f"At most {self.bytes_max} bytes are accepted here.",
        )

    def count(self, current: Span) -> None:
        route = getattr(self.scope.get("route"), "path", "none")
        current.set(names.HTTP_ROUTE, route)
        current.set(names.HTTP_STATUS, self._status)
        told = "HEAD" if self._is_head else self.scope["method"]
        # A client may invent methods; a label may not.
        method = told if told in METHODS else "other"
        _requests(route, method, str(self._status)).inc()
        if not self._streams:
            observe(_seconds(route), time.monotonic() - self._began)

    def _fail(self, problem: Problem) -> None:
        self._body_ended = True
        self._failure = problem


def _is_of_every_machine(scope: Scope) -> bool:
    host = Headers(scope=scope).get("host", "").lower()
    return host.startswith(_OF_EVERY_MACHINE)


def _announced(headers: Headers) -> int:
    text = headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() else 0


def _complete(headers: list[Header], defaults: Iterable[Header]) -> None:
    given = {name.lower() for name, _ in headers}
    headers += [one for one in defaults if one[0] not in given]


def _encoded(told: Mapping[str, str]) -> list[Header]:
    return [(name.lower().encode(), text.encode("latin-1")) for name, text in told.items()]
