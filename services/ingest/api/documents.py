"""The routes of the documents API: hand in, list, look, follow, fetch."""

from http import HTTPStatus
from uuid import UUID

from fastapi import Request, Response
from starlette.responses import StreamingResponse

from services.ingest.api.asking import READ, Use, find, ports_of
from services.ingest.api.describing import UPLOAD
from services.ingest.api.remembering import Memory
from services.ingest.api.shapes import (
    Accepted,
    DocumentDetail,
    StatusView,
    accepted_text,
    accepted_view,
    document_detail,
    status_view,
)
from services.ingest.api.uploads import upload_of, wait_preferred
from services.ingest.domain.documents import Document, links
from services.ingest.domain.waiting import QueuePlace
from services.ingest.handlers import receive_document
from services.ingest.handlers.follow import await_end
from services.ingest.ports import Ports
from shared.web.description import content, unless_changed, where_to_look
from shared.web.downloads import SANDBOX, attachment, read_small, stream_object
from shared.web.etags import unchanged
from shared.web.guard import CurrentCaller, caller_of, direct_router, guarded_router, needs
from shared.web.problems import Problem

router = guarded_router()
uploads = direct_router()

CREATE = {**needs("documents:own:create"), **UPLOAD}
SEE_ORIGINALS = "files:original:read"
ORIGINAL = needs("documents:own:read", SEE_ORIGINALS)
UPLOAD_PATHS = frozenset({"/v1/documents", "/documents"})
LOOK_AGAIN_S = 2
# Changes with every fact, so it may be kept but must be asked about.
REVALIDATE = "private, no-cache"
JSON = "application/json"


@uploads.post(
    "/v1/documents",
    status_code=HTTPStatus.ACCEPTED,
    response_model=Accepted,
    responses=where_to_look("the document"),
    openapi_extra=CREATE,
)
@uploads.post(
    "/documents", status_code=HTTPStatus.ACCEPTED, openapi_extra=CREATE, include_in_schema=False
)
async def create_document(request: Request) -> Response:
    """Hand in a document: the bytes as the body, with X-Filename; or a form with the field
    `file`. After the 202 it ends in exactly one final state, whatever crashes."""
    caller, use = caller_of(request), ports_of(request)
    received = await receive_document(upload_of(request, caller.owner_id), use)
    headers = {
        "Location": links(received.document_id)["self"],
        "Retry-After": str(LOOK_AGAIN_S),
    }
    if received.replayed:
        headers["Idempotency-Replayed"] = "true"
    if seconds := wait_preferred(request):
        headers["Preference-Applied"] = f"wait={seconds}"
        await await_end(
            received.document_id,
            request.app.state.feed,
            within_s=seconds,
            watcher=caller.key_id,
        )
        document = await find(received.document_id, caller, use)
        accepted = accepted_view(received.document_id)
        accepted.status = document.status
        return Response(accepted.model_dump_json(), HTTPStatus.ACCEPTED, headers, JSON)
    return Response(accepted_text(received.document_id), HTTPStatus.ACCEPTED, headers, JSON)


@router.get("/v1/documents/{document_id}", response_model=DocumentDetail, openapi_extra=READ)
async def get_document(
    document_id: UUID, request: Request, caller: CurrentCaller, use: Use
) -> Response:
    """Everything that is known of a document, but for what was read."""
    document = await find(document_id, caller, use)
    if document.completed_at is None:
        family = await use.splits.find_family(document_id)
        view = document_detail(document, family, await _place(document, use))
        return Response(view.model_dump_json(), media_type=JSON)
    memory: Memory = request.app.state.memory
    key = "detail", document_id, document.revision
    shown = memory.recall(key)
    if shown is None:
        family = await use.splits.find_family(document_id)
        shown = document_detail(document, family).model_dump_json().encode()
        # A copy's end may be heard of a moment before that of its original.
        if family.original_id is not None or not document.duplicate:
            memory.keep(key, shown)
    return Response(shown, media_type=JSON)


@router.get(
    "/v1/documents/{document_id}/status",
    response_model=StatusView,
    responses=unless_changed(),
    openapi_extra=READ,
)
@router.get("/documents/{document_id}/status", openapi_extra=READ, include_in_schema=False)
async def get_status(
    document_id: UUID, request: Request, caller: CurrentCaller, use: Use
) -> Response:
    """Where it is, and what it waits for; before it is begun, its place in the queue."""
    document = await find(document_id, caller, use)
    place = await _place(document, use)
    # Others go and come while nothing happens to this one.
    queue = f"-{place.tag}" if place else ""
    headers = {"ETag": f'"{document.revision}{queue}"', "Cache-Control": REVALIDATE}
    if unchanged(request, headers["ETag"]):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    view = status_view(document, place)
    return Response(view.model_dump_json(), media_type=JSON, headers=headers)


@router.get(
    "/v1/documents/{document_id}/result", responses=unless_changed(), openapi_extra=READ
)
async def get_result(
    document_id: UUID, request: Request, caller: CurrentCaller, use: Use
) -> Response:
    """What was read, as JSON; after the review, what the person decided."""
    document = await find(document_id, caller, use, deleted=HTTPStatus.NOT_FOUND)
    if document.status == "cancelled" or document.result_key is None:
        raise _no_result(document)
    headers = {"ETag": f'"{document.result_version}"', "Cache-Control": REVALIDATE}
    if unchanged(request, headers["ETag"]):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    if document.completed_at is None:
        return await stream_object(use.blobs, document.result_key, JSON, headers)
    memory: Memory = request.app.state.memory
    key = "result", document_id, document.result_version, document.result_key
    shown = memory.recall(key)
    if shown is None:
        shown = await read_small(use.blobs, document.result_key, memory.entry_bytes_max)
        if shown is None:
            return await stream_object(use.blobs, document.result_key, JSON, headers)
        memory.keep(key, shown)
    return Response(shown, media_type=JSON, headers=headers)


@router.get(
    "/v1/documents/{document_id}/content",
    response_class=StreamingResponse,
    responses={200: content("*/*")},
    openapi_extra=ORIGINAL,
)
async def get_content(document_id: UUID, caller: CurrentCaller, use: Use) -> StreamingResponse:
    """The original, to be kept and never shown."""
    # Seeing that a document exists is one permission, having its bytes another.
    document = await find(
        document_id, caller, use, everybodys=SEE_ORIGINALS, deleted=HTTPStatus.NOT_FOUND
    )
    headers = {
        "Content-Disposition": attachment(document.filename),
        "Content-Length": str(document.size_bytes),
        "Content-Security-Policy": SANDBOX,
    }
    return await stream_object(use.blobs, document.content_key, document.media_type, headers)


async def _place(document: Document, use: Ports) -> QueuePlace | None:
    """Of one that waits for its turn; anything else needs no second question."""
    if (document.status, document.stage) != ("queued", "held"):
        return None
    return await use.releases.find_place(document.document_id)


def _no_result(document: Document) -> Problem:
    if document.status in ("queued", "processing"):
        return Problem(
            HTTPStatus.CONFLICT,
            "not_ready",
            f"The document is {document.status}; ask again later.",
            headers={"Retry-After": str(LOOK_AGAIN_S)},
        )
    return Problem(
        HTTPStatus.CONFLICT,
        "no_result",
        f"The document is {document.status}, without a result.",
    )
