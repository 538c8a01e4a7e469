"""The routes of the review API that decide an item, or take a decision back.

Each needs If-Match, that nobody else holds the item, and that it is not for somebody else. The
same by the same person, sent twice, is done once.
"""

from functools import partial
from http import HTTPStatus

from services.review.api.acting import ThisActor
from services.review.api.deciding import (
    ApprovalView,
    DuplicateView,
    ReextractionView,
    ReopeningView,
    SplitView,
)
from services.review.api.shapes import ItemDetail, Rejection
from services.review.domain.actions import REOPEN as MAY_REOPEN
from services.review.domain.decisions import DUPLICATE, Reextraction, Reopening
from services.review.domain.items import Decision
from services.review.handlers.deciding import approve_item, mark_duplicate, reject_item
from services.review.handlers.reextracting import ask_for_reading
from services.review.handlers.reopening import reopen_item
from services.review.handlers.splitting import split_item, split_of
from shared.web.etags import SeenVersion
from shared.web.guard import guarded_router, needs
from shared.web.problems import Problem

router = guarded_router()

DECIDE = needs("review:items:approve")
REOPEN = needs("review:items:approve", MAY_REOPEN)
UNDONE = "undone"


@router.post("/v1/items/{document_id}/approve", openapi_extra=DECIDE)
async def approve(
    actor: ThisActor, version: SeenVersion, asked: ApprovalView | None = None
) -> ItemDetail:
    """`corrected` when a person changed a value, else `approved`. 409 `blocked` names what
    stands against it, unless it is overridden with a reason. Where two persons are asked for,
    409 `needs_another` is for whoever handed it in or changed it; nothing overrides that."""
    override = asked.override if asked else None
    approved = partial(approve_item, actor.document_id, actor.name, version, actor.use)
    return await actor.done_if_theirs(partial(approved, override=override, lead=actor.is_lead))


@router.post("/v1/items/{document_id}/reject", openapi_extra=DECIDE)
async def reject(actor: ThisActor, rejection: Rejection, version: SeenVersion) -> ItemDetail:
    """Nothing of it becomes a result; what was approved before is marked as rejected."""
    decision = Decision(
        document_id=actor.document_id,
        version=version,
        reviewer=actor.name,
        verdict="rejected",
        reason_code=rejection.reason_code,
        reason=rejection.reason,
        lead=actor.is_lead,
    )
    return await actor.done_if_theirs(partial(reject_item, decision, actor.use))


@router.post("/v1/items/{document_id}/duplicate", openapi_extra=DECIDE)
async def duplicate(actor: ThisActor, asked: DuplicateView, version: SeenVersion) -> ItemDetail:
    """Rejects it in favour of another document, which is named."""
    decision = Decision(
        document_id=actor.document_id,
        version=version,
        reviewer=actor.name,
        verdict="rejected",
        reason_code=DUPLICATE,
        reason=asked.reason,
        duplicate_of=asked.of,
        lead=actor.is_lead,
    )
    return await actor.done_if_theirs(partial(mark_duplicate, decision, actor.use))


@router.post("/v1/items/{document_id}/split", openapi_extra=DECIDE)
async def split(actor: ThisActor, asked: SplitView, version: SeenVersion) -> ItemDetail:
    """Several invoices in one file: each part becomes a document of its own, whose id stands
    in `children` at once, and the file itself is rejected with the code `split`."""
    decision = split_of(
        actor.document_id, version, actor.name, asked.reason, lead=actor.is_lead
    )
    parts = [one.pages for one in asked.parts]
    return await actor.done_if_theirs(partial(split_item, decision, parts, actor.use))


@router.post("/v1/items/{document_id}/reextract", openapi_extra=DECIDE)
async def reextract(
    actor: ThisActor, asked: ReextractionView, version: SeenVersion
) -> ItemDetail:
    """Has the document read anew, by one engine if it is named. The item waits, in nobody's
    hands, and comes back with what was read; what people locked stays as they left it."""
    wanted = Reextraction(
        document_id=actor.document_id,
        actor=actor.name,
        version=version,
        reason=asked.reason,
        lead=actor.is_lead,
        engine=asked.engine,
    )
    return await actor.done_if_theirs(partial(ask_for_reading, wanted, actor.use))


@router.post("/v1/items/{document_id}/reopen", openapi_extra=REOPEN)
async def reopen(actor: ThisActor, asked: ReopeningView, version: SeenVersion) -> ItemDetail:
    """Back into the queue, with a reason; what was approved stays until the next decision.
    Undoing the own decision needs no right of its own, for some seconds."""
    if not asked.undo and MAY_REOPEN not in actor.caller.permissions:
        raise Problem(HTTPStatus.FORBIDDEN, "forbidden", "This key may only undo.")
    if not asked.undo and asked.reason is None:
        missing = {"pointer": "/reason", "detail": "say why it is opened again"}
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", "See errors.", errors=[missing]
        )
    wanted = Reopening(
        actor.document_id, actor.name, version, asked.reason or UNDONE, asked.undo
    )
    return await actor.done(partial(reopen_item, wanted, actor.use))
