"""Letters, replays and the overview as clients read them, and the little that they send."""

import base64
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from services.monitor.domain.letters import DeadLetter, LetterState
from services.monitor.domain.replays import Replay

# The one character that no text of the database holds.
NO_ZERO = r"^[^\x00]*$"
Reason = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=1000, pattern=NO_ZERO),
]


class LetterLinks(BaseModel):
    letter: str
    payload: str
    log: str
    timeline: str | None
    replay: str | None


class LetterView(BaseModel):
    """Everything but the payload, which has a route and a permission of its own."""

    letter_id: UUID
    state: LetterState
    dead_queue: str
    origin_queue: str
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
    arrived_at: datetime
    settled_at: datetime | None
    replay_id: UUID | None
    outcome: str | None
    body_bytes: int
    trace_id: str | None
    version: int
    superseded_by: UUID | None
    links: LetterLinks

    @classmethod
    def of(cls, letter: DeadLetter) -> Self:
        home = f"/ops/v1/dead-letters/{letter.letter_id}"
        replay = f"/ops/v1/replays/{letter.replay_id}" if letter.replay_id else None
        plain = LetterView.model_fields.keys() - {"links", "trace_id"}
        shown = {name: getattr(letter, name) for name in plain}
        shown["trace_id"] = letter.trace_id
        timeline = f"/ops/v1/documents/{letter.document_id}/timeline"
        links = LetterLinks(
            letter=home,
            payload=f"{home}/payload",
            log=f"{home}/log",
            timeline=timeline if letter.document_id else None,
            replay=replay,
        )
        return cls(**shown, links=links)


class LetterPage(BaseModel):
    letters: list[LetterView]
    # Pass it back as `cursor`; absent on the last page.
    next: str | None


class Payload(BaseModel):
    letter_id: UUID
    content_type: str
    headers: Mapping[str, str]
    # base64 when the bytes are not text.
    encoding: Literal["utf-8", "base64"]
    body: str

    @classmethod
    def of(cls, letter: DeadLetter, body: bytes) -> Self:
        encoding: Literal["utf-8", "base64"] = "utf-8"
        try:
            text = body.decode()
        except UnicodeDecodeError:
            encoding, text = "base64", base64.b64encode(body).decode()
        return cls(
            letter_id=letter.letter_id,
            content_type=letter.content_type,
            headers=letter.headers,
            encoding=encoding,
            body=text,
        )


class ReplayRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: Reason


class EditRequest(ReplayRequest):
    patch: dict[str, Any] = Field(examples=[{"filename": "invoice-17.pdf"}])


class ReplayView(BaseModel):
    replay_id: UUID
    letter_id: UUID
    queue: str
    job_id: UUID
    run: int
    requested_by: str
    reason: str
    state: Literal["running", "settled"]
    outcome: Literal["done", "already_applied", "withdrawn", "refailed"] | None
    requested_at: datetime
    settled_at: datetime | None

    @classmethod
    def of(cls, replay: Replay) -> Self:
        return cls(**asdict(replay))


class QueueView(BaseModel):
    name: str
    ready: int
    # These need the broker's management API.
    unacked: int | None
    consumers: int
    in_per_s: float | None
    out_per_s: float | None
    oldest_at: datetime | None


class OpenLettersView(BaseModel):
    queue: str
    reason: str
    letters: int
    # Of these: in groups that are muted, and alert nobody for now.
    muted: int


class PauseView(BaseModel):
    queue: str
    reason: str
    since: datetime
    detail: str
    ends_at: datetime | None


class DeadLettersView(BaseModel):
    open: int
    by: list[OpenLettersView]
