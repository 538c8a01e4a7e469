"""What a dead letter is, and how it is read when it may be anything at all.

A letter that the monitor cannot store would come back for ever and block all behind it. So
nothing in one is believed: what cannot be read is left out, and the bytes are kept whole.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any
from uuid import UUID

from shared.bus.headers import (
    DEAD_ATTEMPTS,
    DEAD_CATEGORY,
    DEAD_EXCEPTION,
    DEAD_FINGERPRINT,
    DEAD_FIRST_AT,
    DEAD_LAST_AT,
    DEAD_MESSAGE,
    DEAD_REASON,
    REPLAY,
    RUN,
    as_count,
)
from shared.bus.letters import Letter
from shared.contracts.envelope import Envelope, Undecodable, decode
from shared.contracts.facts import DocumentDeletedV1, DocumentErasedV1
from shared.topology.ladder import RUNGS
from shared.topology.queues import UNROUTABLE

TEXT_CHARS_MAX = 1000
# What is indexed: a longer one would not fit an index row, and the letter would bounce.
CODE_CHARS_MAX = 200
PRIORITY_MAX = 255
FINGERPRINT_CHARS = 16
# Replayed, these let an erasing end, and they hold ids alone: with them gone too, a document
# would be `erasing` for ever.
ERASING_TYPES = frozenset({DocumentDeletedV1.type, DocumentErasedV1.type})
TRACEPARENT_PARTS = 4
# A group is asked for, commented on and replayed by its fingerprint.
_IN_AN_ADDRESS = re.compile(rf"[0-9A-Za-z._-]{{1,{CODE_CHARS_MAX}}}")
_ON_THE_LADDER = re.compile(rf"(?:[01]\.){{{RUNGS}}}(.+)")


class LetterState(StrEnum):
    OPEN = "open"
    REPLAYING = "replaying"
    # Its replay ended well: done, already applied, or withdrawn.
    RESOLVED = "resolved"
    # Its replay failed again, and a newer letter stands for the job.
    REFAILED = "refailed"
    ARCHIVED = "archived"
    # Mended and sent on as another job.
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class LetterFacts:
    """What is known of a letter beside its bytes."""

    letter_id: UUID
    dead_queue: str
    origin_queue: str
    # Absent when the body could not be read: such a letter is kept, and cannot be replayed.
    job_id: UUID | None
    type: str | None
    document_id: UUID | None
    owner_id: str | None
    run: int
    reason: str
    category: str
    exception: str
    message: str
    fingerprint: str
    attempts: int
    first_failed_at: datetime | None
    last_failed_at: datetime | None
    headers: Mapping[str, str]
    content_type: str
    priority: int
    body_bytes: int
    # The replay that ended in this letter.
    failed_replay_id: UUID | None


@dataclass(frozen=True, slots=True)
class NewLetter:
    facts: LetterFacts
    # A letter delivered twice is one letter.
    natural_key: str
    body: bytes


@dataclass(frozen=True, slots=True)
class DeadLetter(LetterFacts):
    """A letter in the monitor's keeping."""

    state: LetterState
    # Its own latest replay, and how that ended.
    replay_id: UUID | None
    outcome: str | None
    arrived_at: datetime
    settled_at: datetime | None
    # What somebody's view of it rests on; the ETag.
    version: int
    superseded_by: UUID | None = None

    @property
    def trace_id(self) -> str | None:
        """Under which the whole journey of its document is found."""
        parts = self.headers.get("traceparent", "").split("-")
        return parts[1] if len(parts) == TRACEPARENT_PARTS else None


def read_letter(letter: Letter, letter_id: UUID) -> NewLetter:
    headers = {_text(name): _text(value) for name, value in letter.headers.items()}
    envelope = _envelope(letter.body)
    job_id = envelope.header.job_id if envelope else None
    body: Mapping[str, Any] = envelope.body if envelope else {}
    run = as_count(headers, RUN)
    otherwise = UNROUTABLE if letter.dead_queue == UNROUTABLE else "unknown"
    reason = _code(headers.get(DEAD_REASON, otherwise))
    facts = LetterFacts(
        letter_id=letter_id,
        dead_queue=letter.dead_queue,
        origin_queue=_code(_home(letter.origin_queue)),
        job_id=job_id,
        type=_text(envelope.header.type) if envelope else None,
        document_id=_uuid(body.get("document_id")),
        owner_id=_text(body["owner_id"]) if isinstance(body.get("owner_id"), str) else None,
        run=run,
        reason=reason,
        category=_code(headers.get(DEAD_CATEGORY, otherwise)),
        exception=headers.get(DEAD_EXCEPTION, ""),
        message=headers.get(DEAD_MESSAGE, ""),
        fingerprint=_fingerprint(headers, letter.dead_queue, reason),
        attempts=as_count(headers, DEAD_ATTEMPTS),
        first_failed_at=_moment(headers.get(DEAD_FIRST_AT)),
        last_failed_at=_moment(headers.get(DEAD_LAST_AT)),
        headers=headers,
        content_type=_text(letter.content_type),
        priority=min(max(letter.priority, 0), PRIORITY_MAX),
        body_bytes=len(letter.body),
        failed_replay_id=_uuid(headers.get(REPLAY)),
    )
    return NewLetter(facts, _natural_key(letter, job_id, run), letter.body)


def _envelope(body: bytes) -> Envelope | None:
    try:
        return decode(body)
    except Undecodable:
        return None


def _natural_key(letter: Letter, job_id: UUID | None, run: int) -> str:
    if job_id is not None:
        return f"{letter.dead_queue}/{job_id}/{run}"
    return f"{letter.dead_queue}/{sha256(letter.body).hexdigest()}"


def _fingerprint(headers: Mapping[str, str], dead_queue: str, reason: str) -> str:
    told = headers.get(DEAD_FINGERPRINT, "")
    if _IN_AN_ADDRESS.fullmatch(told):
        return told
    # Nobody of us said of which cause it died: it is of one kind with what looks the same.
    parts = (dead_queue, reason, headers.get(DEAD_EXCEPTION, ""), told)
    return sha256("\n".join(parts).encode()).hexdigest()[:FINGERPRINT_CHARS]


def _home(destination: str) -> str:
    # What found no way home from the delay ladder still carries its wait before the queue.
    match = _ON_THE_LADDER.fullmatch(destination)
    return match[1] if match else destination


def _text(value: str) -> str:
    # PostgreSQL's text knows neither NUL nor half a surrogate pair.
    cut = value[:TEXT_CHARS_MAX].replace("\0", "\ufffd")
    return cut.encode("utf-8", "replace").decode()


def _code(value: str) -> str:
    return _text(value[:CODE_CHARS_MAX])


def _uuid(value: object) -> UUID | None:
    if not isinstance(value, str):
        return None
    try:
        return UUID(value)
    except ValueError:
        return None


def _moment(text: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text or "")
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return aware.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
