"""What arrives before there is a request: limited as well, and refused in our own words.

The server by itself would keep whatever stands in front of a body in memory, wait for its end
for ever, and answer in plain text what it cannot read.
"""

import asyncio
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from shared.web.gate import SECURITY_HEADERS
from shared.web.parting import LISTEN_S, parting
from shared.web.problems import Problem, problem_response

# The address and all headers of one request.
HEAD_BYTES_MAX = 64 * 1024
# From the first byte to the last header; an unused connection is closed after the same time.
HEAD_S = 15.0
# Requests sent ahead on one connection; each is kept until the one before is answered.
AHEAD_MAX = 100


class Wire(HttpToolsProtocol):
    head_bytes_max = HEAD_BYTES_MAX
    head_s = HEAD_S
    ahead_max = AHEAD_MAX
    listen_s = LISTEN_S
    # What has arrived since something came of it. Behind a body there are headers once more.
    _head_bytes = 0
    _came_of_it = False
    _in_head = _in_request = False
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(parting(transport, lambda: self._in_request, self.listen_s))
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        # In steps: headers that come all at once would be a request before they are counted.
        # What begins in a body is taken as it comes; there is little room for a head behind.
        is_body = self._in_request and not self._in_head
        step = max(len(data), 1) if is_body else self.head_bytes_max // 4
        for at in range(0, len(data), step):
            if not self.transport.is_closing():
                self._take(data[at : at + step])

    def _take(self, data: bytes) -> None:
        self._came_of_it = False
        super().data_received(data)
        # Afterwards: the end of a head may come together with much of a body.
        self._head_bytes = 0 if self._came_of_it else self._head_bytes + len(data)
        if self._head_bytes > self.head_bytes_max and not self.transport.is_closing():
            self._refuse(
                Problem(
                    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                    "headers_too_large",
                    f"An address and its headers have at most {self.head_bytes_max} bytes.",
                )
            )
        elif len(self.pipeline) > self.ahead_max:
            # Without a word: it would be taken for the answer to another of them.
            self.transport.close()

    def on_message_begin(self) -> None:
        self._in_head = self._in_request = self._came_of_it = True
        self._start_timer()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_head, self._came_of_it = False, True
        self._stop_timer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._came_of_it = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_request, self._came_of_it = False, True
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._in_request and self.cycle.response_complete:
            # Nobody reads the rest any more, so nobody else would give it up.
            self._start_timer()

    def send_400_response(self, msg: str) -> None:
        self._refuse(
            Problem(HTTPStatus.BAD_REQUEST, "malformed_request", "This cannot be read as HTTP.")
        )

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.head_s, self._too_slow)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        if self._in_head:
            self._refuse(Problem(HTTPStatus.REQUEST_TIMEOUT, "request-timeout"))
        else:
            self.transport.close()

    def _refuse(self, problem: Problem) -> None:
        problem.headers["Connection"] = "close"
        answer = problem_response(problem)
        for name, value in SECURITY_HEADERS.items():
            answer.headers.setdefault(name, value)
        lines = [f"HTTP/1.1 {problem.status.value} {problem.status.phrase}".encode()]
        lines += [name + b": " + value for name, value in answer.raw_headers]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(answer.body)]))
        self.transport.close()
