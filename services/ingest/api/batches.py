"""The routes of batches: hand in, list, look, cancel, delete."""

import json
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Query, Request, Response

from services.ingest.api.asking import READ, SEE_ALL, Use, owner_of
from services.ingest.api.batch_shapes import (
    BatchPage,
    BatchView,
    Cancelled,
    batch_row,
    batch_view,
    links_of,
)
from services.ingest.api.describing import BATCH
from services.ingest.api.documents import LOOK_AGAIN_S, REVALIDATE
from services.ingest.api.endings import CANCEL, CANCEL_ALL, DELETE, DELETE_ALL
from services.ingest.api.handing_in import (
    MANIFEST_BYTES_MAX,
    BodyParts,
    FormParts,
    references_of,
)
from services.ingest.api.holds import refuse_held
from services.ingest.api.uploads import idempotency_key
from services.ingest.domain.batches import ITEMS_MAX, Batch, NothingAccepted
from services.ingest.handlers.batches import (
    BatchReceived,
    cancel_batch,
    delete_batch,
    receive_files,
    receive_references,
)
from services.ingest.ports import Page, Ports
from shared.web.cursors import CURSOR_CHARS_MAX, Cursors
from shared.web.description import unless_changed, where_to_look
from shared.web.etags import unchanged
from shared.web.guard import Caller, CurrentCaller, guarded_router, needs
from shared.web.problems import ERRORS_MAX, Problem

router = guarded_router()

PATH = "/v1/batches"
CREATE = {**needs("documents:own:create"), **BATCH}
PAGE_MAX = 100
# The second is what Windows calls it.
ZIP = ("application/zip", "application/x-zip-compressed")
# What a form adds around its files: boundaries and headers of each, a manifest, a few fields.
FORM_BYTES = ITEMS_MAX * 1024 + MANIFEST_BYTES_MAX + 64 * 1024


@router.post(
    PATH,
    status_code=HTTPStatus.ACCEPTED,
    responses=where_to_look("the batch"),
    openapi_extra=CREATE,
)
async def create_batch(
    request: Request, response: Response, caller: CurrentCaller, use: Use
) -> BatchView:
    """Many files of one form, the files of a ZIP (as the body, or among those of the form), or
    references to what was uploaded before. What cannot be accepted is listed under `rejected`,
    by its position; the others are accepted."""
    try:
        received = await _received(request, caller, use)
    except NothingAccepted as error:
        raise _nothing_accepted(error) from error
    batch = await find_batch(received.batch_id, caller, use)
    response.headers["Location"] = links_of(batch)["self"]
    response.headers["Retry-After"] = str(LOOK_AGAIN_S)
    if received.replayed:
        response.headers["Idempotency-Replayed"] = "true"
    return await _view(batch, use)


@router.get(PATH, openapi_extra=READ)
async def list_batches(
    request: Request,
    response: Response,
    caller: CurrentCaller,
    use: Use,
    limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 20,
    cursor: Annotated[str | None, Query(max_length=CURSOR_CHARS_MAX)] = None,
) -> BatchPage:
    """Newest first. `next` is the address of the following page, as in the Link header."""
    cursors: Cursors = request.app.state.cursors
    owner = owner_of(caller)
    scope = json.dumps(["batches", owner])
    before = cursors.decode(cursor, scope=scope) if cursor is not None else (None, None)
    found = await use.batches.list_batches(Page(owner, limit + 1, *before))
    shown = found[:limit]
    following = None
    if len(found) > len(shown):
        last = cursors.encode((shown[-1].created_at, shown[-1].batch_id), scope=scope)
        following = f"{PATH}?{urlencode({'limit': limit, 'cursor': last})}"
        response.headers["Link"] = f'<{following}>; rel="next"'
    return BatchPage(items=[batch_row(one) for one in shown], next=following)


@router.get(
    f"{PATH}/{{batch_id}}",
    response_model=BatchView,
    responses=unless_changed(),
    openapi_extra=READ,
)
async def get_batch(
    batch_id: UUID, request: Request, caller: CurrentCaller, use: Use
) -> Response:
    """How far it is, document by document."""
    batch = await find_batch(batch_id, caller, use)
    headers = {"ETag": f'"{batch.version}"', "Cache-Control": REVALIDATE}
    if unchanged(request, headers["ETag"]):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    view = await _view(batch, use)
    return Response(view.model_dump_json(), media_type="application/json", headers=headers)


@router.post(f"{PATH}/{{batch_id}}/cancel", openapi_extra=CANCEL)
async def cancel(batch_id: UUID, caller: CurrentCaller, use: Use) -> Cancelled:
    """What has not ended yet, all in one commit; the others keep their end."""
    await find_batch(batch_id, caller, use, everybodys=CANCEL_ALL)
    cancelled = await cancel_batch(batch_id, actor=caller.owner_id, use=use)
    return Cancelled(batch_id=batch_id, cancelled=cancelled)


@router.delete(f"{PATH}/{{batch_id}}", status_code=HTTPStatus.NO_CONTENT, openapi_extra=DELETE)
async def delete(batch_id: UUID, caller: CurrentCaller, use: Use) -> Response:
    """Erases what all of its documents said, or nothing while one of them is held. Cut off, it
    goes on when it is asked again."""
    owner_id = owner_of(caller, DELETE_ALL)
    if await use.batches.find_batch(batch_id, owner_id=owner_id) is None:
        raise _no_such_batch()
    members = await use.batches.list_members(batch_id)
    await refuse_held([one.document_id for one in members], use)
    await delete_batch(batch_id, actor=caller.owner_id, use=use)
    return Response(status_code=HTTPStatus.NO_CONTENT)


async def find_batch(
    batch_id: UUID, caller: Caller, use: Ports, *, everybodys: str = SEE_ALL
) -> Batch:
    """Raises the problem that tells why the caller does not get it."""
    found = await use.batches.find_batch(batch_id, owner_id=owner_of(caller, everybodys))
    if found is None:
        # Somebody else's is as absent as one that never was.
        raise _no_such_batch()
    if found.deleted_at is not None:
        when = f"{found.deleted_at:%Y-%m-%d}"
        raise Problem(HTTPStatus.GONE, "deleted", f"The batch was deleted on {when}.")
    return found


async def _received(request: Request, caller: Caller, use: Ports) -> BatchReceived:
    key = idempotency_key(request)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return await receive_files(caller.owner_id, FormParts(request), key, use)
    if kind in ZIP:
        return await receive_files(caller.owner_id, BodyParts(request), key, use)
    if kind in ("", "application/json"):
        return await receive_references(caller.owner_id, await references_of(request), key, use)
    raise Problem(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        "unsupported_type",
        "Files in a form (multipart/form-data), an archive of them as application/zip, or "
        "references as application/json.",
    )


async def _view(batch: Batch, use: Ports) -> BatchView:
    return batch_view(batch, await use.batches.list_members(batch.batch_id))


def _nothing_accepted(error: NothingAccepted) -> Problem:
    return Problem(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        error.reason,
        error.detail,
        errors=[
            {"pointer": f"/items/{one.position}", "detail": f"{one.reason}: {one.detail}"}
            for one in error.refused[:ERRORS_MAX]
        ],
    )


def _no_such_batch() -> Problem:
    return Problem(HTTPStatus.NOT_FOUND, "no_such_batch", "There is no such batch.")
