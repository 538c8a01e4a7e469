"""Mend a message that failed: change what is wrong in it, and nothing it is known by.

What comes out is another job: the letter stays as it failed, superseded, and its new message
is checked as if it had just arrived.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic_core import from_json, to_json

from services.monitor.domain.letters import DeadLetter
from services.monitor.domain.replays import NotReplayable
from shared.contracts.envelope import MESSAGE_BYTES_MAX, Unacceptable, decode, open_body

# Whose document it is and when it came: another answer would be another message.
LOCKED = ("document_id", "owner_id", "accepted_at", "cause_id")


@dataclass(frozen=True, slots=True)
class Edit:
    """What somebody wants changed in a letter that was looked at in this version."""

    letter_id: UUID
    seen: int
    patch: Mapping[str, Any]
    actor: str
    reason: str


@dataclass(frozen=True, slots=True)
class Mended:
    body: bytes
    # What was changed, as it was and as it is.
    before: Mapping[str, Any]
    after: Mapping[str, Any]


class BadEdit(ValueError):
    """What would come out is no message of its type, or not the same document's."""


class StaleLetter(NotReplayable):
    def __init__(self, letter: DeadLetter, seen: int) -> None:
        super().__init__(
            letter, f"version {seen} was seen, version {letter.version} is current"
        )


def mend(raw: bytes, patch: Mapping[str, Any], *, job_id: UUID) -> Mended:
    """`patch` is a JSON Merge Patch (RFC 7396) of the envelope's body."""
    envelope = decode(raw)
    try:
        body = _merged(envelope.body, patch)
    except RecursionError as error:
        raise BadEdit("it is nested too deeply") from error
    locked = [name for name in LOCKED if body.get(name) != envelope.body.get(name)]
    if locked:
        raise BadEdit(f"{', '.join(locked)} cannot be changed")
    if body == envelope.body:
        raise BadEdit("nothing would change")
    header = envelope.header.model_copy(update={"job_id": job_id, "attempt": 1})
    # The trace goes on: it is still the same document's journey.
    tracing = from_json(raw).get("tracing")
    try:
        mended = to_json({"header": header, "body": body, "tracing": tracing})
    except ValueError as error:
        raise BadEdit("it holds a text that is no Unicode") from error
    if len(mended) > MESSAGE_BYTES_MAX:
        raise BadEdit(f"{len(mended)} bytes: a message has at most {MESSAGE_BYTES_MAX}")
    try:
        open_body(decode(mended))
    except Unacceptable as error:
        raise BadEdit(f"{error.reason}: {error}") from error
    changed = sorted(
        name for name in {*body, *envelope.body} if body.get(name) != envelope.body.get(name)
    )
    return Mended(
        body=mended,
        before={name: envelope.body.get(name) for name in changed},
        after={name: body.get(name) for name in changed},
    )


def _merged(target: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(target)
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, Mapping):
            inner = merged.get(name)
            merged[name] = _merged(inner if isinstance(inner, Mapping) else {}, value)
        else:
            merged[name] = value
    return merged
