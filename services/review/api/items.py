"""The routes of one item: look, read the record."""

from uuid import UUID

from fastapi import Response

from services.review.api.asking import Use
from services.review.api.deciding import decided
from services.review.api.forming import formed
from services.review.api.pages import views_of
from services.review.api.problems import told
from services.review.api.ranks import standing
from services.review.api.shapes import (
    AuditEntry,
    AuditPage,
    ItemDetail,
)
from services.review.domain.four_eyes import need_of_another
from services.review.domain.items import ReviewItem, resource_of
from services.review.handlers.claiming import get_item
from services.review.handlers.forming import look_at
from services.review.handlers.pages import find_pages
from services.review.ports import Ports
from shared.web.etags import etag
from shared.web.guard import Caller, CurrentCaller, guarded_router, needs

router = guarded_router()

READ = needs("review:items:read")
AUDIT = needs("audit:all:read", "audit:own:read")
ENTRIES_MAX = 500


@router.get("/v1/items/{document_id}", openapi_extra=READ)
async def show_item(
    document_id: UUID, use: Use, caller: CurrentCaller, response: Response
) -> ItemDetail:
    """The item with its values. Its ETag is what a decision must name."""
    with told():
        item = await get_item(document_id, use)
    return await detail(item, use, caller, response)


@router.get("/v1/items/{document_id}/audit", openapi_extra=AUDIT)
async def show_audit(document_id: UUID, use: Use, caller: CurrentCaller) -> AuditPage:
    """What was done to this item, newest first; without audit:all:read, by oneself."""
    actor = None if "audit:all:read" in caller.permissions else caller.owner_id
    lines = await use.trail.list_entries(
        resource_of(document_id), actor=actor, limit=ENTRIES_MAX
    )
    return AuditPage(entries=[AuditEntry.of(line) for line in lines])


async def detail(
    item: ReviewItem, use: Ports, caller: Caller, response: Response
) -> ItemDetail:
    look = await look_at(item, use)
    context = await use.decisions.find_context(
        item.document_id, actor=caller.owner_id, undo_s=use.limits.undo_s
    )
    needs_another = need_of_another(
        item, look.fields, context.authors, caller.owner_id, use.plan.review.four_eyes
    )
    pages = await find_pages(item.document_id, use)
    response.headers["ETag"] = etag(item.version)
    return ItemDetail.of(
        item,
        **standing(item, use),
        **decided(item, context, caller.owner_id, caller.permissions, needs_another),
        **formed(look, use.rules),
        pages=views_of(pages) if pages else [],
        engines=[*use.engines],
    )
