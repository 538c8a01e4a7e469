"""The routes of exports: over a filter, as a stream or as a file that is made meanwhile."""

import json
from datetime import date
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Header, Query, Request, Response
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from services.storage.api.asking import READ, Turned, Use, owner_of
from services.storage.api.links import file_of_export, require_file
from services.storage.api.problems import told
from services.storage.api.shapes import ExportPage, ExportView
from services.storage.domain.exports import (
    MEDIA_TYPES,
    Format,
    Judged,
    Order,
    Place,
    Rows,
    Wanted,
)
from services.storage.handlers.exporting import Progress, stream_export
from services.storage.handlers.ordering import cancel_export, find_export, order_export
from services.storage.ports.outlets import Outlets
from shared.web.cursors import Cursors
from shared.web.description import content, where_to_look
from shared.web.downloads import SANDBOX, attachment
from shared.web.guard import Caller, CurrentCaller, guarded_router
from shared.web.problems import Problem
from shared.web.streams import Streams

router = guarded_router()

PATH = "/v1/exports"
LOOK_AGAIN_S = 2
UNFILLED_S = 30
TEXT_CHARS_MAX = 200
# The one character that no text of the database holds.
NO_ZERO = r"^[^\x00]*$"


class Asked(BaseModel):
    # A misspelt filter must not export everything.
    model_config = ConfigDict(extra="forbid")

    format: Format = "jsonl"
    rows: Rows = Field(
        "documents",
        description="One row for each document, or for each of its lines; a workbook then has "
        "both, on two sheets.",
    )
    owner: str | None = Field(
        None,
        min_length=1,
        max_length=TEXT_CHARS_MAX,
        pattern=NO_ZERO,
        description="Whose documents; for those who may see everybody's.",
    )
    accepted_after: AwareDatetime | None = Field(None, description="At this moment or later.")
    accepted_before: AwareDatetime | None = Field(None, description="Before this moment.")
    issued_after: date | None = Field(None, description="On this day or later.")
    issued_before: date | None = Field(None, description="Before this day.")
    vendor: str | None = Field(
        None,
        min_length=1,
        max_length=TEXT_CHARS_MAX,
        pattern=NO_ZERO,
        description="How the name of the seller begins.",
    )
    number: str | None = Field(
        None,
        min_length=1,
        max_length=TEXT_CHARS_MAX,
        pattern=NO_ZERO,
        description="How the invoice number begins.",
    )
    currency: str | None = Field(None, pattern=r"^[A-Z]{3}$")
    verdict: Judged | None = Field(
        None, description="What a person decided; none is what nobody judged."
    )
    confidence_min: float | None = Field(None, ge=0, le=1)
    changed_after: AwareDatetime | None = Field(
        None,
        description="Whose current version became so at this moment or later. To take what is "
        "new and nothing twice, be a consumer: what is committed late would be missed here.",
    )

    def wanted(self) -> Wanted:
        return Wanted(**self.model_dump(exclude={"format", "rows", "owner"}))


def _order(asked: Asked, caller: Caller) -> Order:
    own = owner_of(caller)
    if own is not None and asked.owner not in (None, own):
        # Somebody else's documents are as absent as those of nobody.
        raise Problem(HTTPStatus.NOT_FOUND, "no_such_owner", "There is no such owner.")
    return Order(own or asked.owner, asked.wanted(), asked.format, asked.rows)


async def _require_filled(order: Order, use: Outlets) -> None:
    """A search for values that were not looked up yet would leave documents out in silence."""
    if order.wanted.looks_at_values and await use.index.count_unfilled(order.of_owner):
        raise Problem(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "index_not_ready",
            "Older results are being indexed; ask again later, or without filters on values.",
            headers={"Retry-After": str(UNFILLED_S)},
        )


@router.get(
    PATH,
    response_class=Response,
    responses={200: {"content": {one: {} for one in MEDIA_TYPES.values()}}},
    openapi_extra=READ,
)
async def stream(
    asked: Annotated[Asked, Query()], request: Request, caller: CurrentCaller, use: Use
) -> Response:
    """The current results that pass the filter, each once, as a file that is made while it is
    sent. X-Total-Estimate says how many there were when it began. An export that cannot go on
    breaks off."""
    order = _order(asked, caller)
    await _require_filled(order, use)
    progress = Progress(await use.index.count_current(order))
    streams: Streams = request.app.state.streams
    headers = {
        "Content-Disposition": attachment(order.filename),
        "Content-Security-Policy": SANDBOX,
        "X-Total-Estimate": str(progress.total),
    }
    pieces = stream_export(order, use, progress)
    return await streams.begin(pieces, MEDIA_TYPES[order.format], headers)


@router.post(
    PATH,
    status_code=HTTPStatus.ACCEPTED,
    response_model=ExportView,
    responses=where_to_look("the export"),
    openapi_extra=READ,
)
async def create_export(
    asked: Asked,
    response: Response,
    caller: CurrentCaller,
    use: Use,
    idempotency_key: Annotated[
        str | None, Header(min_length=1, max_length=TEXT_CHARS_MAX, pattern=NO_ZERO)
    ] = None,
) -> ExportView:
    """The same as a file that is made in the background, for a day. The same Idempotency-Key
    orders it once."""
    order = _order(asked, caller)
    await _require_filled(order, use)
    with told():
        export, is_known = await order_export(caller.owner_id, order, idempotency_key, use)
    view = ExportView.of(export)
    response.headers["Location"] = view.links["self"]
    response.headers["Retry-After"] = str(LOOK_AGAIN_S)
    if is_known:
        response.headers["Idempotency-Replayed"] = "true"
    return view


@router.get(f"{PATH}/jobs", openapi_extra=READ)
async def list_exports(
    request: Request,
    response: Response,
    caller: CurrentCaller,
    use: Use,
    page: Turned,
) -> ExportPage:
    """Those that were ordered with this key's name, newest first; of everybody's documents for
    those who may see them."""
    cursors: Cursors = request.app.state.cursors
    scope = json.dumps(["exports", caller.owner_id])
    before = Place(*cursors.decode(page.cursor, scope=scope)) if page.cursor else None
    found = await use.exports.list_exports(
        caller.owner_id, owner_of(caller), before, page.limit + 1
    )
    shown, following = found[: page.limit], None
    if len(found) > page.limit:
        last = shown[-1].created_at, shown[-1].export_id
        following = cursors.encode(last, scope=scope)
        query = urlencode({"limit": page.limit, "cursor": following})
        response.headers["Link"] = f'<{PATH}/jobs?{query}>; rel="next"'
    return ExportPage(items=[ExportView.of(one) for one in shown], next=following)


@router.get(f"{PATH}/{{export_id}}", openapi_extra=READ)
async def show_export(export_id: UUID, caller: CurrentCaller, use: Use) -> ExportView:
    """How far it is, and where its file is once it is completed."""
    with told():
        found = await find_export(export_id, caller.owner_id, owner_of(caller), use)
    return ExportView.of(found)


@router.post(f"{PATH}/{{export_id}}/cancel", openapi_extra=READ)
async def cancel(export_id: UUID, caller: CurrentCaller, use: Use) -> ExportView:
    """Nobody wants it any more. Twice is once."""
    with told():
        ended = await cancel_export(export_id, caller.owner_id, owner_of(caller), use)
    return ExportView.of(ended)


@router.get(
    f"{PATH}/{{export_id}}/download",
    response_class=Response,
    responses={200: content("application/octet-stream")},
    openapi_extra=READ,
)
async def download_export(export_id: UUID, caller: CurrentCaller, use: Use) -> Response:
    """The file, until the export expires."""
    with told():
        export = await find_export(export_id, caller.owner_id, owner_of(caller), use)
    require_file(export)
    return await file_of_export(export, use)
