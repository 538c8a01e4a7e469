"""The routes by which documents stay longer than they would: holds, and what is due."""

from collections.abc import Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from services.ingest.api.asking import Use, find
from services.ingest.domain.retention import Hold
from services.ingest.handlers.retain import (
    find_hold,
    find_holds,
    hold_document,
    lift_hold,
    report_expired,
)
from services.ingest.ports import Ports
from shared.web.guard import CurrentCaller, guarded_router, needs
from shared.web.problems import Problem

router = guarded_router()

HOLD_ALL = "documents:all:hold"
HOLD = needs(HOLD_ALL)
REPORT = needs("ops:overview:read")
NAMED_MAX = 3
PATH = "/v1/documents/{document_id}/hold"
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=500)]


class Because(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: Reason = Field(description="Goes into the audit log.")


class HoldView(BaseModel):
    document_id: UUID
    since: datetime
    by: str
    reason: str


class Due(BaseModel):
    """Of one class of documents, those that have had their time."""

    class_name: str = Field(serialization_alias="class")
    due: int
    on_hold: int
    in_review: int
    oldest_completed_at: datetime | None


class RetentionReport(BaseModel):
    # None: nothing is ever erased by itself.
    default_days: int | None
    dry_run: bool
    classes: list[Due]


@router.put(PATH, openapi_extra=HOLD)
async def hold(document_id: UUID, caller: CurrentCaller, use: Use, asked: Because) -> HoldView:
    """Nobody can erase the document until the hold is lifted: neither `DELETE` nor its age."""
    held = await hold_document(document_id, actor=caller.owner_id, reason=asked.reason, use=use)
    if held is None:
        raise await _absent(document_id, caller, use)
    return _view(held)


@router.get(PATH, openapi_extra=HOLD)
async def show(document_id: UUID, caller: CurrentCaller, use: Use) -> HoldView:
    """Who holds the document, since when and why; 404 when nobody does."""
    found = await find_hold(document_id, use)
    if found is None:
        raise await _absent(document_id, caller, use)
    return _view(found)


@router.delete(PATH, status_code=HTTPStatus.NO_CONTENT, openapi_extra=HOLD)
async def lift(
    document_id: UUID,
    caller: CurrentCaller,
    use: Use,
    reason: Annotated[Reason, Query(description="Goes into the audit log.")],
) -> Response:
    """Lifting what nobody holds is no error: twice is once."""
    lifted = await lift_hold(document_id, actor=caller.owner_id, reason=reason, use=use)
    if not lifted:
        await find(document_id, caller, use, everybodys=HOLD_ALL)
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.get("/v1/retention", openapi_extra=REPORT)
async def report(request: Request, use: Use) -> RetentionReport:
    """What the next look would erase by its age, without erasing it."""
    keeping = request.app.state.keeping
    if keeping is None:
        return RetentionReport(default_days=None, dry_run=True, classes=[])
    found = await report_expired(use, keeping.rules)
    return RetentionReport(
        default_days=keeping.rules.default_days,
        dry_run=keeping.dry_run,
        classes=[
            Due(
                class_name=one.class_name,
                due=one.due,
                on_hold=one.on_hold,
                in_review=one.in_review,
                oldest_completed_at=one.oldest_completed_at,
            )
            for one in found
        ],
    )


async def refuse_held(document_ids: Sequence[UUID], use: Ports) -> None:
    """Raises the problem that tells why they cannot be erased. Not by whom they are held, nor
    why: whoever may know that can ask for it."""
    if held := await find_holds(document_ids, use):
        which = ", ".join(str(one.document_id) for one in held[:NAMED_MAX])
        raise Problem(
            HTTPStatus.CONFLICT, "on_hold", f"On hold, so it cannot be erased: {which}."
        )


async def _absent(document_id: UUID, caller: CurrentCaller, use: Use) -> Problem:
    await find(document_id, caller, use, everybodys=HOLD_ALL)
    return Problem(HTTPStatus.NOT_FOUND, "not_on_hold", "Nobody holds this document.")


def _view(hold: Hold) -> HoldView:
    return HoldView(
        document_id=hold.document_id,
        since=hold.since,
        by=hold.by,
        reason=hold.reason,
    )
