"""One trace per document, through five services and two waits in a database.

W3C trace context goes in and comes out as text, because it is stored in outbox rows and sent
as AMQP headers. Without a collector configured nothing is recorded, but ids are still made
and passed on: the envelope always tells which trace a message belongs to, and one service
that has a collector is enough to see its part. OpenTelemetry is loaded only when needed.
"""

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from pathlib import Path
from random import getrandbits
from types import TracebackType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from shared.observability.otlp import Recorder, Recording

Kind = Literal["internal", "server", "client", "producer", "consumer"]
Value = str | bool | int | float | tuple[str, ...]
SAMPLED = 0x01
TRACESTATE_LENGTH_MAX = 512
_TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")


@dataclass(slots=True)
class Span:
    trace_id: str
    span_id: str
    flags: int = SAMPLED
    tracestate: str = ""
    _recording: "Recording | None" = field(default=None, repr=False, compare=False)

    @property
    def traceparent(self) -> str:
        return f"00-{self.trace_id}-{self.span_id}-{self.flags:02x}"

    def set(self, name: str, value: Value) -> None:
        if self._recording is not None:
            self._recording.set(name, value)

    def fail(self, error_type: str) -> None:
        """`error_type` from a closed set: an exception's class or a reason, never its text."""
        if self._recording is not None:
            self._recording.fail(error_type)


_current: ContextVar[Span | None] = ContextVar("span", default=None)
_recorder: "Recorder | None" = None


def configure_tracing(
    service: str, otlp_endpoint: str | None, ca_file: Path | None = None
) -> None:
    """`otlp_endpoint` is the collector's HTTP address, such as `https://collector:4318`, and
    `ca_file` whom it has to be certified by."""
    global _recorder  # noqa: PLW0603 -- one per process, like the root logger
    shutdown_tracing()
    if otlp_endpoint is None:
        return
    from shared.observability.otlp import Recorder  # noqa: PLC0415 -- it loads the SDK

    _recorder = Recorder(service, otlp_endpoint, ca_file)


def shutdown_tracing() -> None:
    """Sends what is still buffered. Blocks for up to six seconds when the collector is away."""
    global _recorder
    recorder, _recorder = _recorder, None
    if recorder is not None:
        recorder.shutdown()


def is_recording() -> bool:
    """Whether anybody collects spans: what only they would show need not be put together."""
    return _recorder is not None


def span(
    name: str,
    *,
    kind: Kind = "internal",
    parent: str | None = None,
    tracestate: str = "",
    attributes: Mapping[str, Value] | None = None,
) -> AbstractContextManager[Span]:
    """Child of `parent` (a traceparent), else of the current span, else a new trace.

    An unreadable `parent` starts a new trace: a stranger's header must not stop a document.
    """
    above = _parse(parent, tracestate) if parent is not None else _current.get()
    if _recorder is not None:
        return _Opened(_recorder.start(name, kind, above, attributes))
    if above is None:
        return _Opened(Span(f"{getrandbits(128):032x}", _span_id()))
    return _Opened(Span(above.trace_id, _span_id(), above.flags, above.tracestate))


def _span_id() -> str:
    # Unique, not secret: one system call less for every message.
    return f"{getrandbits(64):016x}"


class _Opened(AbstractContextManager[Span]):
    __slots__ = ("_span", "_token")

    def __init__(self, opened: Span) -> None:
        self._span = opened
        self._token: Token[Span | None] | None = None

    def __enter__(self) -> Span:
        self._token = _current.set(self._span)
        return self._span

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._token is not None:
            _current.reset(self._token)
        # A cancellation is an order and not a failure, hence not every BaseException.
        if isinstance(error, Exception):
            self._span.fail(type(error).__name__)
        if self._span._recording is not None:
            self._span._recording.end()


def continuing(carried: Mapping[str, str]) -> AbstractContextManager[Span | None]:
    """What is sent inside belongs to where `carrier()` told this, whoever sends it. No span is
    opened: that one may have ended."""
    return _Continued(_parse(carried.get("traceparent", ""), carried.get("tracestate", "")))


class _Continued(AbstractContextManager[Span | None]):
    __slots__ = ("_span", "_token")

    def __init__(self, told: Span | None) -> None:
        self._span = told
        self._token: Token[Span | None] | None = None

    def __enter__(self) -> Span | None:
        self._token = _current.set(self._span)
        return self._span

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _current.reset(self._token)


def current_traceparent() -> str | None:
    current = _current.get()
    return None if current is None else current.traceparent


def current_span() -> Span | None:
    return _current.get()


def carrier() -> dict[str, str]:
    """What to send along: `traceparent`, and `tracestate` when there is one."""
    current = _current.get()
    if current is None:
        return {}
    if current.tracestate:
        return {"traceparent": current.traceparent, "tracestate": current.tracestate}
    return {"traceparent": current.traceparent}


def _parse(traceparent: str, tracestate: str) -> Span | None:
    match = _TRACEPARENT.fullmatch(traceparent)
    if match is None:
        return None
    version, trace_id, span_id, flags, rest = match.groups()
    if version == "ff" or (version == "00" and rest):
        return None
    if not int(trace_id, 16) or not int(span_id, 16):
        return None
    kept = tracestate if len(tracestate) <= TRACESTATE_LENGTH_MAX else ""
    return Span(trace_id, span_id, int(flags, 16) & SAMPLED, kept)
