"""The routes of the review API that decide an item, or take a decision back.

Each needs If-Match, that nobody else holds the item, and that it is not for somebody else. The
same by the same person, sent twice, is done once.
"""

from http import HTTPStatus
from uuid import UUID

from fastapi import Response

from services.review.api.asking import Use, is_lead
from services.review.api.deciding import (
    ApprovalView,
    DuplicateView,
    ReextractionView,
    ReopeningView,
    SplitView,
)
from services.review.api.items import detail
from services.review.api.problems import told
from services.review.api.shapes import ItemDetail, Rejection
from services.review.domain.actions import REOPEN as MAY_REOPEN
from services.review.domain.decisions import DUPLICATE, Reextraction, Reopening
from services.review.domain.items import Decision
from services.review.handlers.claiming import check_theirs
from services.review.handlers.deciding import approve_item, mark_duplicate, reject_item
from services.review.handlers.reextracting import ask_for_reading
from services.review.handlers.reopening import reopen_item
from services.review.handlers.splitting import split_item, split_of
from shared.web.etags import SeenVersion
from shared.web.guard import CurrentCaller, guarded_router, needs
from shared.web.problems import Problem

router = guarded_router()

DECIDE = needs("review:items:approve")
REOPEN = needs("review:items:approve", MAY_REOPEN)
UNDONE = "undone"


@router.post("/v1/items/{document_id}/approve", openapi_extra=DECIDE)
async def approve(
    document_id: UUID,
    version: SeenVersion,
    use: Use,
    caller: CurrentCaller,
    response: Response,
    asked: ApprovalView | None = None,
) -> ItemDetail:
    """`corrected` when a person changed a value, else `approved`. 409 `blocked` names what
    stands against it, unless it is overridden with a reason."""
    override = asked.override if asked else None
    with told():
        await check_theirs(document_id, caller.owner_id, use, lead=is_lead(caller))
        item = await approve_item(
            document_id,
            caller.owner_id,
            version,
            use,
            override=override,
            lead=is_lead(caller),
        )
    return await detail(item, use, caller, response)


@router.post("/v1/items/{document_id}/reject", openapi_extra=DECIDE)
async def reject(
    document_id: UUID,
    rejection: Rejection,
    version: SeenVersion,
    use: Use,
    caller: CurrentCaller,
    response: Response,
) -> ItemDetail:
    """Nothing of it becomes a result; what was approved before is marked as rejected."""
    decision = Decision(
        document_id=document_id,
        version=version,
        reviewer=caller.owner_id,
        verdict="rejected",
        reason_code=rejection.reason_code,
        reason=rejection.reason,
        lead=is_lead(caller),
    )
    with told():
        await check_theirs(document_id, caller.owner_id, use, lead=is_lead(caller))
        item = await reject_item(decision, use)
    return await detail(item, use, caller, response)


@router.post("/v1/items/{document_id}/duplicate", openapi_extra=DECIDE)
async def duplicate(
    document_id: UUID,
    asked: DuplicateView,
    version: SeenVersion,
    use: Use,
    caller: CurrentCaller,
    response: Response,
) -> ItemDetail:
    """Rejects it in favour of another document, which is named."""
    decision = Decision(
        document_id=document_id,
        version=version,
        reviewer=caller.owner_id,
        verdict="rejected",
        reason_code=DUPLICATE,
        reason=asked.reason,
        duplicate_of=asked.of,
        lead=is_lead(caller),
    )
    with told():
        await check_theirs(document_id, caller.owner_id, use, lead=is_lead(caller))
        item = await mark_duplicate(decision, use)
    return await detail(item, use, caller, response)


@router.post("/v1/items/{document_id}/split", openapi_extra=DECIDE)
async def split(
    document_id: UUID,
    asked: SplitView,
    version: SeenVersion,
    use: Use,
    caller: CurrentCaller,
    response: Response,
) -> ItemDetail:
    """Several invoices in one file: each part becomes a document of its own, whose id stands
    in `children` at once, and the file itself is rejected with the code `split`."""
    decision = split_of(
        document_id, version, caller.owner_id, asked.reason, lead=is_lead(caller)
    )
    with told():
        await check_theirs(document_id, caller.owner_id, use, lead=is_lead(caller))
        item = await split_item(decision, [one.pages for one in asked.parts], use)
    return await detail(item, use, caller, response)


@router.post("/v1/items/{document_id}/reextract", openapi_extra=DECIDE)
async def reextract(
    document_id: UUID,
    asked: ReextractionView,
    version: SeenVersion,
    use: Use,
    caller: CurrentCaller,
    response: Response,
) -> ItemDetail:
    """Has the document read anew. The item waits, in nobody's hands, and comes back with what
    was read; what people locked stays as they left it."""
    wanted = Reextraction(document_id, caller.owner_id, version, asked.reason, is_lead(caller))
    with told():
        await check_theirs(document_id, caller.owner_id, use, lead=is_lead(caller))
        item = await ask_for_reading(wanted, use)
    return await detail(item, use, caller, response)


@router.post("/v1/items/{document_id}/reopen", openapi_extra=REOPEN)
async def reopen(
    document_id: UUID,
    asked: ReopeningView,
    version: SeenVersion,
    use: Use,
    caller: CurrentCaller,
    response: Response,
) -> ItemDetail:
    """Back into the queue, with a reason; what was approved stays until the next decision.
    Undoing the own decision needs no right of its own, for some seconds."""
    if not asked.undo and MAY_REOPEN not in caller.permissions:
        raise Problem(HTTPStatus.FORBIDDEN, "forbidden", "This key may only undo.")
    if not asked.undo and asked.reason is None:
        missing = {"pointer": "/reason", "detail": "say why it is opened again"}
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", "See errors.", errors=[missing]
        )
    with told():
        item = await reopen_item(
            Reopening(
                document_id, caller.owner_id, version, asked.reason or UNDONE, asked.undo
            ),
            use,
        )
    return await detail(item, use, caller, response)
