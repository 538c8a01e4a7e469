"""JSON lines on standard error: one event, one line, whatever a document put into it.

Events are constants and values travel beside them, so a log can be searched by machine.
File names and vendor texts come from strangers: everything outside printable ASCII is
escaped, so neither a line break nor a terminal sequence leaves its field, and the length of
each value is capped. Addresses lose their passwords.
"""

import json
import logging
import re
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import isfinite
from types import MappingProxyType
from typing import Any

VALUE_LENGTH_MAX = 2_000
STACK_LENGTH_MAX = 16_000
VALUES_MAX = 50
# One job says so much and no more into its own log.
COLLECTED_MAX = 2_000
# Chatty below this, and none of it about a document.
QUIET = ("aio_pika", "alembic", "asyncio", "botocore", "boto3", "httpcore", "httpx", "urllib3")
# They report each attempt to reconnect as an ERROR or with its stack. An error of ours wakes
# somebody, and ours say once that the broker or the database is away.
SILENT = ("aiormq", "asyncpg.pool")

_bound: ContextVar[MappingProxyType[str, Any]] = ContextVar(
    "bound", default=MappingProxyType({})
)
_collected: ContextVar[list[str] | None] = ContextVar("collected", default=None)
_FORMATTED = "formatted_line"
_RECORD_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", _FORMATTED}
_PASSWORD = re.compile(r"(://[^/@\s:]*:)[^/@\s]+@")


def configure_logging(service: str, level: str = "INFO") -> None:
    lines = JsonLines(service)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(lines)
    collector = _Collector()
    collector.setFormatter(lines)
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.addHandler(collector)
    root.setLevel(level)
    for name in QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    for name in SILENT:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.captureWarnings(True)
    # Nobody reads which thread or task wrote a line; each would be looked up for every line.
    logging.logThreads = logging.logMultiprocessing = logging.logProcesses = False


@contextmanager
def bind(**values: object) -> Iterator[None]:
    """Every line written inside, also by a task started inside, carries these values."""
    token = _bound.set(MappingProxyType({**_bound.get(), **values}))
    try:
        yield
    finally:
        _bound.reset(token)


@contextmanager
def collect() -> Iterator[list[str]]:
    """Every line written inside, also by a task started inside, stands in this list as well."""
    lines: list[str] = []
    token = _collected.set(lines)
    try:
        yield lines
    finally:
        _collected.reset(token)


class _Collector(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        lines = _collected.get()
        if lines is not None and len(lines) < COLLECTED_MAX:
            lines.append(self.format(record))


class JsonLines(logging.Formatter):
    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service
        self._second = -1
        self._second_text = ""

    def format(self, record: logging.LogRecord) -> str:
        """Once for all who write it: a job's line stands in its log and in the service's."""
        if not hasattr(record, _FORMATTED):
            setattr(record, _FORMATTED, self._formatted(record))
        formatted: str = getattr(record, _FORMATTED)
        return formatted

    def _formatted(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": self._time(record.created),
            "level": record.levelname,
            "event": _plain(record.getMessage()),
            "service": self._service,
            "logger": record.name,
        }
        for name, value in _bound.get().items():
            if name not in line:
                line[name] = _plain(value)
        for name, value in vars(record).items():
            if name not in _RECORD_FIELDS and name not in line:
                line[name] = _plain(value)
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = type(record.exc_info[1]).__name__
            line["stack"] = _stack(record.exc_info[1])
        # ASCII only: no terminal sequence (C1 included) survives, and no lone surrogate of a
        # file name can break the stream's encoding.
        return json.dumps(line, separators=(",", ":")).replace("\x7f", "\\u007f")

    def _time(self, created: float) -> str:
        second = int(created)
        if second != self._second:
            self._second = second
            self._second_text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
        return f"{self._second_text}.{int((created - second) * 1000):03d}Z"


def _plain(value: object) -> object:
    """JSON can say it, and it is short. Everything else speaks through its `str`."""
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)  # JSON has no NaN
    if isinstance(value, dict):
        pairs = list(value.items())[:VALUES_MAX]
        return {_text(key, VALUE_LENGTH_MAX): _plain(inner) for key, inner in pairs}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(inner) for inner in list(value)[:VALUES_MAX]]
    return _text(value, VALUE_LENGTH_MAX)


def _text(value: object, length_max: int) -> str:
    text = value if isinstance(value, str) else str(value)
    if len(text) > length_max:
        text = f"{text[:length_max]}… ({len(text)} characters)"
    if "://" in text:
        text = _PASSWORD.sub(r"\1***@", text)
    return text


def _stack(error: BaseException) -> str:
    text = "".join(traceback.format_exception(error))
    # The end names the error and the place; the beginning is the event loop.
    return _text(text[-STACK_LENGTH_MAX:], STACK_LENGTH_MAX)
