"""The routes of the documents API: hand in, list, look, follow, fetch."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query, Request, Response
from starlette.responses import StreamingResponse

from services.ingest.api.downloads import SANDBOX, attachment, stream_object
from services.ingest.api.shapes import (
    Accepted,
    DocumentPage,
    DocumentView,
    EventPage,
    StatusView,
    accepted_view,
    document_view,
    event_view,
    links,
    status_view,
)
from services.ingest.api.uploads import upload_of
from services.ingest.domain.documents import Document
from services.ingest.domain.life import SUCCEEDED
from services.ingest.handlers import receive_document
from services.ingest.ports import Page, Ports
from shared.web.cursors import decode_cursor, encode_cursor
from shared.web.etags import unchanged
from shared.web.guard import Caller, CurrentCaller, guarded_router, needs
from shared.web.problems import Problem

router = guarded_router()

CREATE = needs("documents:own:create")
SEE_ALL = "documents:all:read"
READ = needs("documents:own:read", SEE_ALL)
ORIGINAL = needs("documents:own:read", "files:original:read")
UPLOAD_PATHS = frozenset({"/v1/documents", "/documents"})
PAGE_MAX = 200
EVENTS_MAX = 1000
LOOK_AGAIN_S = 2
# Changes with every fact, so it may be kept but must be asked about.
REVALIDATE = "private, no-cache"


def _ports(request: Request) -> Ports:
    use: Ports = request.app.state.ports
    return use


Use = Annotated[Ports, Depends(_ports)]


@router.post("/v1/documents", status_code=HTTPStatus.ACCEPTED, openapi_extra=CREATE)
@router.post(
    "/documents", status_code=HTTPStatus.ACCEPTED, openapi_extra=CREATE, include_in_schema=False
)
async def create_document(
    request: Request, response: Response, caller: CurrentCaller, use: Use
) -> Accepted:
    """The bytes as the body, with X-Filename; or a form with the field `file`."""
    received = await receive_document(upload_of(request, caller.owner_id), use)
    response.headers["Location"] = links(received.document_id)["self"]
    response.headers["Retry-After"] = str(LOOK_AGAIN_S)
    if received.replayed:
        response.headers["Idempotency-Replayed"] = "true"
    return accepted_view(received.document_id)


@router.get("/v1/documents", openapi_extra=READ)
async def list_documents(
    caller: CurrentCaller,
    use: Use,
    response: Response,
    limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 50,
    cursor: str | None = None,
) -> DocumentPage:
    """Newest first."""
    before = decode_cursor(cursor) if cursor else (None, None)
    found = await use.documents.list_documents(Page(_owner(caller), limit + 1, *before))
    page, more = found[:limit], len(found) > limit
    following = encode_cursor(page[-1].created_at, page[-1].document_id) if more else None
    if following:
        response.headers["Link"] = (
            f'</v1/documents?limit={limit}&cursor={following}>; rel="next"'
        )
    return DocumentPage(items=[document_view(one) for one in page], next=following)


@router.get("/v1/documents/{document_id}", openapi_extra=READ)
async def get_document(document_id: UUID, caller: CurrentCaller, use: Use) -> DocumentView:
    return document_view(await _find(document_id, caller, use))


@router.get("/v1/documents/{document_id}/status", response_model=StatusView, openapi_extra=READ)
@router.get("/documents/{document_id}/status", openapi_extra=READ, include_in_schema=False)
async def get_status(
    document_id: UUID, request: Request, caller: CurrentCaller, use: Use
) -> Response:
    document = await _find(document_id, caller, use)
    headers = {"ETag": f'"{document.revision}"', "Cache-Control": REVALIDATE}
    if unchanged(request, headers["ETag"]):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    view = status_view(document)
    return Response(view.model_dump_json(), media_type="application/json", headers=headers)


@router.get("/v1/documents/{document_id}/result", openapi_extra=READ)
async def get_result(
    document_id: UUID, request: Request, caller: CurrentCaller, use: Use
) -> Response:
    """What was read, as JSON; after the review, what the person decided."""
    document = await _find(document_id, caller, use)
    if document.status not in SUCCEEDED or document.result_key is None:
        raise _no_result(document)
    headers = {"ETag": f'"{document.result_version}"', "Cache-Control": REVALIDATE}
    if unchanged(request, headers["ETag"]):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return await stream_object(use.blobs, document.result_key, "application/json", headers)


@router.get("/v1/documents/{document_id}/events", openapi_extra=READ)
async def list_events(
    document_id: UUID,
    caller: CurrentCaller,
    use: Use,
    after: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    limit: Annotated[int, Query(ge=1, le=EVENTS_MAX)] = 200,
) -> EventPage:
    """The timeline. `after` is the number of the last event seen."""
    await _find(document_id, caller, use)
    found = await use.documents.list_events(document_id, after_seq=after, limit=limit + 1)
    page, more = found[:limit], len(found) > limit
    following = f"{links(document_id)['events']}?after={page[-1].seq}" if more else None
    return EventPage(items=[event_view(one) for one in page], next=following)


@router.get("/v1/documents/{document_id}/content", openapi_extra=ORIGINAL)
async def get_content(document_id: UUID, caller: CurrentCaller, use: Use) -> StreamingResponse:
    """The original, to be kept and never shown."""
    document = await _find(document_id, caller, use)
    headers = {
        "Content-Disposition": attachment(document.filename),
        "Content-Length": str(document.size_bytes),
        "Content-Security-Policy": SANDBOX,
    }
    return await stream_object(use.blobs, document.content_key, document.media_type, headers)


async def _find(document_id: UUID, caller: Caller, use: Ports) -> Document:
    found = await use.documents.find_document(document_id, owner_id=_owner(caller))
    if found is None:
        # Somebody else's is as absent as one that never was.
        raise Problem(HTTPStatus.NOT_FOUND, "no_such_document", "There is no such document.")
    return found


def _owner(caller: Caller) -> str | None:
    return None if SEE_ALL in caller.permissions else caller.owner_id


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
