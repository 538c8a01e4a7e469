"""The routes of documents: where one is, everything that became of it, what its jobs said."""

from datetime import datetime
from typing import Annotated, Any, Self
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel

from services.monitor.api.asking import Use
from services.monitor.api.problems import told
from services.monitor.api.shapes import NO_ZERO
from services.monitor.domain.timelines import Entry, EntryKind, FoundDocument, Timeline
from services.monitor.handlers.recounting import find_documents, recount, view_logs
from shared.web.guard import CurrentCaller, guarded_router, needs

router = guarded_router()

READ = needs("documents:all:read")
LOG = needs("dlq:log:view")
PATH = "/ops/v1/documents"


class DocumentView(BaseModel):
    document_id: UUID
    owner_id: str
    accepted_at: datetime
    status: str
    run: int
    moved_at: datetime
    filename: str | None
    links: dict[str, str]

    @classmethod
    def of(cls, found: FoundDocument) -> Self:
        links = {
            "timeline": f"{PATH}/{found.document_id}/timeline",
            "dead_letters": f"/ops/v1/dead-letters?document_id={found.document_id}",
        }
        plain = cls.model_fields.keys() - {"links"}
        return cls(**{name: getattr(found, name) for name in plain}, links=links)


class DocumentsView(BaseModel):
    documents: list[DocumentView]


class EntryView(BaseModel):
    at: datetime
    kind: EntryKind
    # A fact's type, a letter's reason, an outcome, or what a person did.
    what: str
    detail: dict[str, Any]
    links: dict[str, str]

    @classmethod
    def of(cls, entry: Entry) -> Self:
        homes = {
            "letter_id": ("letter", "/ops/v1/dead-letters"),
            "replay_id": ("replay", "/ops/v1/replays"),
            "operation_id": ("operation", "/ops/v1/operations"),
        }
        links = {
            name: f"{home}/{entry.detail[key]}"
            for key, (name, home) in homes.items()
            if entry.detail.get(key)
        }
        return cls(
            at=entry.at,
            kind=entry.kind,
            what=entry.what,
            detail=dict(entry.detail),
            links=links,
        )


class TimelineView(BaseModel):
    document: DocumentView
    # Of its whole journey; one is the rule, and each reading anew may begin another.
    trace_ids: list[str]
    entries: list[EntryView]
    is_cut: bool

    @classmethod
    def of(cls, timeline: Timeline) -> Self:
        return cls(
            document=DocumentView.of(timeline.document),
            trace_ids=list(timeline.trace_ids),
            entries=[EntryView.of(one) for one in timeline.entries],
            is_cut=timeline.is_cut,
        )


class AttemptLog(BaseModel):
    attempt: int
    text: str


class LogView(BaseModel):
    letter_id: UUID
    # Those that were kept: not every kind of job keeps one.
    attempts: list[AttemptLog]


@router.get(PATH, openapi_extra=READ)
async def search_documents(
    use: Use, find: Annotated[str, Query(min_length=3, max_length=300, pattern=NO_ZERO)]
) -> DocumentsView:
    """By id, by the SHA-256 of its bytes, or by how its file's name begins."""
    found = await find_documents(find.strip(), use)
    return DocumentsView(documents=[DocumentView.of(one) for one in found])


@router.get(f"{PATH}/{{document_id}}/timeline", openapi_extra=READ)
async def show_timeline(document_id: UUID, use: Use) -> TimelineView:
    """Everything that became of it, in order: what its services told, every attempt that died
    and why, how it was sent back and what came of that, what people decided and did."""
    with told():
        return TimelineView.of(await recount(document_id, use))


@router.get("/ops/v1/dead-letters/{letter_id}/log", openapi_extra=LOG)
async def show_log(letter_id: UUID, use: Use, caller: CurrentCaller) -> LogView:
    """What its job wrote in each attempt, with the stack of what stopped it. What a customer
    sent may stand in it, so every look is recorded."""
    with told():
        letter, logs = await view_logs(letter_id, caller.owner_id, use)
    attempts = [AttemptLog(attempt=number, text=text) for number, text in logs.items()]
    return LogView(letter_id=letter.letter_id, attempts=attempts)
