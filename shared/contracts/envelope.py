"""The wrapper around every body on the wire, and the only code that reads or writes it.

A message's body is written once, by the outbox; afterwards the bus rewrites
`header.attempt` and nothing else ever changes, so a replayed message is the one that failed.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json, to_json

from shared.contracts.body import Body
from shared.contracts.registry import BODIES, newest_major
from shared.contracts.upcasts import upcast
from shared.strict_json import NotJson, RepeatedKey, read_json

MAX_ATTEMPTS = 4
MESSAGE_BYTES_MAX = 64 * 1024
CONTENT_TYPE = "application/json"
# A key may be as long as its message; a reason may not.
REPEATED_CHARS_MAX = 200

_TRACEPARENT = re.compile(r"^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$")


class Header(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    job_id: UUID
    # It becomes a short string of AMQP and a text column; neither takes just any character.
    type: str = Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")
    version: str = Field(pattern=r"^[0-9]{1,4}\.[0-9]{1,4}$")
    created_at: AwareDatetime
    attempt: int = Field(ge=1, le=1_000_000)
    max_attempts: int = Field(default=MAX_ATTEMPTS, ge=1)

    @property
    def major(self) -> int:
        return int(self.version.partition(".")[0])


@dataclass(frozen=True, slots=True)
class Envelope:
    """A readable header and a body that nobody has looked into yet."""

    header: Header
    body: dict[str, Any]
    # Where a key of the body stands for the second time: then nobody may look into it.
    repeated: str = ""


class Undecodable(ValueError):
    """Not even a job id can be read: the bytes are kept whole, whatever they are."""


class Unacceptable(ValueError):
    """The header is readable, but the type, version or body is not one of ours."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(detail or reason)
        self.reason = reason


def encode(
    body: Body,
    *,
    job_id: UUID,
    created_at: datetime,
    traceparent: str | None,
    max_attempts: int = MAX_ATTEMPTS,
) -> bytes:
    header = {
        "job_id": job_id,
        "type": body.type,
        "version": body.version,
        "created_at": created_at,
        "attempt": 1,
        "max_attempts": max_attempts,
    }
    return to_json({"header": header, "body": body, "tracing": _tracing(traceparent)})


def decode(raw: bytes) -> Envelope:
    # Ours are smaller; and what is too large for the outbox could not be told of through it.
    if len(raw) > MESSAGE_BYTES_MAX:
        raise Undecodable(f"{len(raw)} bytes: a message has at most {MESSAGE_BYTES_MAX}")
    parsed, repeated = _parsed(raw)
    if not isinstance(parsed, dict) or not isinstance(parsed.get("body"), dict):
        raise Undecodable("not an envelope: an object with header and body is expected")
    try:
        header = Header.model_validate(parsed.get("header"))
    except ValidationError as error:
        raise Undecodable(f"unreadable header: {_summary(error)}") from error
    return Envelope(header, parsed["body"], repeated)


def _parsed(raw: bytes) -> tuple[Any, str]:
    """With the place of a key of the body that stands there twice: such a message has still
    an identity, by which its sender and its letter can be found."""
    try:
        return read_json(raw), ""
    except RepeatedKey as error:
        if any(path[0] != "body" or len(path) == 1 for path in error.paths):
            raise Undecodable(f"not JSON: {error}") from error
        return from_json(raw), ".".join(map(str, error.paths[0]))[:REPEATED_CHARS_MAX]
    except NotJson as error:
        raise Undecodable(f"not JSON: {error}") from error


def open_body(envelope: Envelope) -> Body:
    """The body as the newest version of its type. Raises Unacceptable."""
    header = envelope.header
    model = BODIES.get(header.type)
    if model is None:
        raise Unacceptable("unknown_type", f"nobody here knows the type {header.type}")
    newest = newest_major(model)
    if header.major > newest:
        raise Unacceptable(
            "unknown_version", f"{header.type} {header.version} is newer than us"
        )
    if envelope.repeated:
        raise Unacceptable("invalid_body", f"{envelope.repeated}: a key stands there twice")
    try:
        return model.model_validate(upcast(header.type, header.major, newest, envelope.body))
    except ValidationError as error:
        raise Unacceptable("invalid_body", _summary(error)) from error
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # A step met a shape that its version never had. Raised as it is, it would be nobody's
        # outcome, and the broker would deliver the message for ever.
        what = f"{type(error).__name__} while upcasting from {header.version}"
        raise Unacceptable("invalid_body", what) from error


def with_attempt(raw: bytes, attempt: int) -> bytes:
    parsed = from_json(raw)
    if parsed["header"]["attempt"] == attempt:
        return raw
    parsed["header"]["attempt"] = attempt
    return to_json(parsed)


def _tracing(traceparent: str | None) -> dict[str, str]:
    match = _TRACEPARENT.match(traceparent or "")
    trace_id, span_id = match.groups() if match else ("0" * 32, "0" * 16)
    return {"trace_id": trace_id, "span_id": span_id}


def _summary(error: ValidationError) -> str:
    # Never the input itself: it may hold what nobody should read in a log.
    parts = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:5]]
    return "; ".join(parts)[:500]
