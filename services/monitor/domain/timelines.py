"""What became of one document, in order: what was told, what died, who did what about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from services.monitor.domain.letters import DeadLetter
from services.monitor.domain.replays import Replay
from shared.bus.jobs import Job
from shared.contracts.body import Body, DocumentBody, DocumentFact
from shared.contracts.facts import DocumentProgressV1
from shared.contracts.identity import written_at

TRACEPARENT_PARTS = 4
# How far the clock of another machine may be ahead.
AHEAD_MAX = timedelta(minutes=5)
# What every fact of a document has, and what a person reads elsewhere.
LEFT_OUT = frozenset({*DocumentBody.model_fields, "cause_id", "summary"})

EntryKind = Literal["fact", "dead_letter", "replay", "replay_settled", "deed"]


@dataclass(frozen=True, slots=True)
class ToldFact:
    document_id: UUID
    job_id: UUID
    type: str
    run: int
    said_at: datetime
    trace_id: str | None
    cause_id: UUID | None
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FoundDocument:
    document_id: UUID
    owner_id: str
    accepted_at: datetime
    status: str
    run: int
    moved_at: datetime
    filename: str | None = None


@dataclass(frozen=True, slots=True)
class Deed:
    at: datetime
    actor: str
    action: str
    resource: str


@dataclass(frozen=True, slots=True)
class Sent:
    """A letter's replay, and the operation that sent it."""

    replay: Replay
    operation_id: UUID | None


@dataclass(frozen=True, slots=True)
class Entry:
    at: datetime
    kind: EntryKind
    what: str
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Timeline:
    document: FoundDocument
    trace_ids: tuple[str, ...]
    entries: tuple[Entry, ...]
    # The end was cut off: there is more than anybody reads.
    is_cut: bool


class NoSuchDocument(LookupError):
    pass


def told_facts(jobs: Sequence[Job[Body]], now: datetime) -> list[ToldFact]:
    """Of documents, all but how far they are: that is news for a minute."""
    return [
        ToldFact(
            document_id=job.body.document_id,
            job_id=job.job_id,
            type=job.body.type,
            run=job.run,
            said_at=_said_at(job.job_id, now),
            trace_id=_trace_id(job.traceparent),
            cause_id=job.body.cause_id,
            detail=job.body.model_dump(mode="json", exclude=set(LEFT_OUT), exclude_none=True),
        )
        for job in jobs
        if isinstance(job.body, DocumentFact) and not isinstance(job.body, DocumentProgressV1)
    ]


def merged(
    facts: Sequence[ToldFact],
    letters: Sequence[DeadLetter],
    sent: Sequence[Sent],
    deeds: Sequence[Deed],
) -> list[Entry]:
    entries = [
        *(_of_fact(one) for one in facts),
        *(_of_letter(one) for one in letters),
        *(entry for one in sent for entry in _of_replay(one)),
        *(Entry(one.at, "deed", one.action, _told(one)) for one in deeds),
    ]
    return sorted(entries, key=lambda entry: entry.at)


def _of_fact(fact: ToldFact) -> Entry:
    cause = {"cause_id": str(fact.cause_id)} if fact.cause_id else {}
    known = {"job_id": str(fact.job_id), "run": fact.run, **cause, **fact.detail}
    return Entry(fact.said_at, "fact", fact.type, known)


def _of_letter(letter: DeadLetter) -> Entry:
    detail = {
        "letter_id": str(letter.letter_id),
        "queue": letter.origin_queue,
        "job_id": str(letter.job_id) if letter.job_id else None,
        "run": letter.run,
        "attempts": letter.attempts,
        "category": letter.category,
        "exception": letter.exception,
        "message": letter.message,
        "state": letter.state.value,
        "outcome": letter.outcome,
    }
    at = letter.last_failed_at or letter.arrived_at
    return Entry(at, "dead_letter", letter.reason, detail)


def _of_replay(sent: Sent) -> list[Entry]:
    replay = sent.replay
    detail = {
        "replay_id": str(replay.replay_id),
        "letter_id": str(replay.letter_id),
        "queue": replay.queue,
        "run": replay.run,
        "requested_by": replay.requested_by,
        "reason": replay.reason,
        "operation_id": str(sent.operation_id) if sent.operation_id else None,
    }
    told = [Entry(replay.requested_at, "replay", "requested", detail)]
    if replay.settled_at is not None:
        told.append(
            Entry(replay.settled_at, "replay_settled", replay.outcome or "unknown", detail)
        )
    return told


def _told(deed: Deed) -> Mapping[str, Any]:
    return {"actor": deed.actor, "resource": deed.resource}


def _said_at(job_id: UUID, now: datetime) -> datetime:
    # An id that was made elsewhere holds no time.
    return min(written_at(job_id) or now, now + AHEAD_MAX)


def _trace_id(traceparent: str | None) -> str | None:
    parts = (traceparent or "").split("-")
    return parts[1] if len(parts) == TRACEPARENT_PARTS else None
