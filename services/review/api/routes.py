"""The routes of the review API: look, claim, give back, decide, read the record."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query, Request, Response

from services.review.api.problems import told
from services.review.api.shapes import (
    AuditEntry,
    AuditPage,
    FieldView,
    ItemDetail,
    ItemPage,
    ItemView,
    Rejection,
)
from services.review.domain import Decision, ItemStatus, Place, ReviewItem, resource_of
from services.review.handlers.claiming import (
    claim_item,
    claim_next_item,
    get_item,
    release_item,
)
from services.review.handlers.deciding import approve_item, reject_item
from services.review.ports import Ports
from shared.web.cursors import Cursors, Position
from shared.web.etags import SeenVersion, etag
from shared.web.guard import CurrentCaller, guarded_router, needs

router = guarded_router()

READ = needs("review:items:read")
CLAIM = needs("review:items:claim")
DECIDE = needs("review:items:approve")
AUDIT = needs("audit:all:read", "audit:own:read")
PAGE_MAX = 200
ENTRIES_MAX = 500


async def _ports(request: Request) -> Ports:
    use: Ports = request.app.state.ports
    return use


Use = Annotated[Ports, Depends(_ports)]


@router.get("/v1/items", openapi_extra=READ)
async def list_items(
    request: Request,
    use: Use,
    status: ItemStatus | None = None,
    limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 50,
    cursor: str | None = None,
) -> ItemPage:
    """Oldest first."""
    cursors: Cursors = request.app.state.cursors
    scope = f"items {status}"
    after = Place(*cursors.decode(cursor, scope=scope)) if cursor else None
    items = await use.items.list_items(status=status, after=after, limit=limit + 1)
    page = items[:limit]
    more = len(items) > limit
    return ItemPage(
        items=[ItemView.of(item) for item in page],
        next=cursors.encode(_place(page[-1]), scope=scope) if more else None,
    )


@router.post(
    "/v1/items/next",
    openapi_extra=CLAIM,
    response_model=ItemDetail,
    responses={
        204: {"description": "Every open item is in somebody's hands, or none is open."}
    },
)
async def claim_best(use: Use, caller: CurrentCaller, response: Response) -> object:
    """Claim the most urgent item that nobody holds."""
    item = await claim_next_item(caller.owner_id, use)
    if item is None:
        return Response(status_code=HTTPStatus.NO_CONTENT)
    return await _detail(item, use, response)


@router.get("/v1/items/{document_id}", openapi_extra=READ)
async def show_item(document_id: UUID, use: Use, response: Response) -> ItemDetail:
    """The item with its values. Its ETag is what a decision must name."""
    with told():
        item = await get_item(document_id, use)
    return await _detail(item, use, response)


@router.post("/v1/items/{document_id}/claim", openapi_extra=CLAIM)
async def claim(
    document_id: UUID, use: Use, caller: CurrentCaller, response: Response
) -> ItemDetail:
    """Again, by its holder, it makes the lease longer."""
    with told():
        item = await claim_item(document_id, caller.owner_id, use)
    return await _detail(item, use, response)


@router.post("/v1/items/{document_id}/release", openapi_extra=CLAIM)
async def release(
    document_id: UUID, use: Use, caller: CurrentCaller, response: Response
) -> ItemDetail:
    """Give it back, for somebody else to claim."""
    with told():
        item = await release_item(document_id, caller.owner_id, use)
    return await _detail(item, use, response)


@router.post("/v1/items/{document_id}/approve", openapi_extra=DECIDE)
async def approve(
    document_id: UUID,
    version: SeenVersion,
    use: Use,
    caller: CurrentCaller,
    response: Response,
) -> ItemDetail:
    """Needs If-Match, and that nobody else holds the item. Twice is once."""
    with told():
        item = await approve_item(document_id, caller.owner_id, version, use)
    return await _detail(item, use, response)


@router.post("/v1/items/{document_id}/reject", openapi_extra=DECIDE)
async def reject(
    document_id: UUID,
    rejection: Rejection,
    version: SeenVersion,
    use: Use,
    caller: CurrentCaller,
    response: Response,
) -> ItemDetail:
    """Needs If-Match, and that nobody else holds the item. Twice is once."""
    decision = Decision(
        document_id=document_id,
        version=version,
        reviewer=caller.owner_id,
        verdict="rejected",
        reason_code=rejection.reason_code,
        reason=rejection.reason,
    )
    with told():
        item = await reject_item(decision, use)
    return await _detail(item, use, response)


@router.get("/v1/items/{document_id}/audit", openapi_extra=AUDIT)
async def show_audit(document_id: UUID, use: Use, caller: CurrentCaller) -> AuditPage:
    """What was done to this item, newest first; without audit:all:read, by oneself."""
    actor = None if "audit:all:read" in caller.permissions else caller.owner_id
    lines = await use.trail.list_entries(
        resource_of(document_id), actor=actor, limit=ENTRIES_MAX
    )
    return AuditPage(entries=[AuditEntry.of(line) for line in lines])


def _place(item: ReviewItem) -> Position:
    return item.opened_at, item.document_id


async def _detail(item: ReviewItem, use: Ports, response: Response) -> ItemDetail:
    fields = await use.items.list_fields(item.document_id)
    response.headers["ETag"] = etag(item.version)
    return ItemDetail.of(item, fields=[FieldView.of(field) for field in fields])
