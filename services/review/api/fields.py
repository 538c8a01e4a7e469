"""The routes by which an item's values are changed, and tried out."""

from functools import partial
from uuid import UUID

from fastapi import Response

from services.review.api.acting import ThisActor
from services.review.api.asking import Use
from services.review.api.forming import ChangesView, FormView, formed
from services.review.api.problems import told
from services.review.api.shapes import ItemDetail
from services.review.handlers.correcting import Correction, correct_fields, preview_fields
from shared.web.etags import SeenVersion, etag
from shared.web.guard import CurrentCaller, guarded_router, needs

router = guarded_router()

CORRECT = needs("review:items:correct")


@router.patch("/v1/items/{document_id}/fields", openapi_extra=CORRECT)
async def change_fields(
    actor: ThisActor, asked: ChangesView, version: SeenVersion
) -> ItemDetail:
    """All of the changes or none. Needs If-Match, and that the caller holds the item. 412 says
    what somebody else made of it meanwhile, field by field; 422 what cannot be read."""
    changes = [one.change() for one in asked.changes]
    wanted = Correction(actor.document_id, actor.name, version, changes)
    return await actor.done(partial(correct_fields, wanted, actor.use))


@router.post("/v1/items/{document_id}/fields/preview", openapi_extra=CORRECT)
async def preview(
    document_id: UUID,
    asked: ChangesView,
    use: Use,
    caller: CurrentCaller,
    response: Response,
) -> FormView:
    """What the rules would say of it. Nothing is kept."""
    changes = [one.change() for one in asked.changes]
    with told():
        item, look = await preview_fields(
            Correction(document_id, caller.owner_id, 0, changes), use
        )
    response.headers["ETag"] = etag(item.version)
    return FormView(**formed(look, use.rules))
