"""The routes that end a document or begin it anew: cancel, delete, reprocess."""

from http import HTTPStatus
from uuid import UUID

from fastapi import Response

from services.ingest.api.asking import Use, find, owner_of
from services.ingest.api.shapes import StatusView, status_view
from services.ingest.handlers import cancel_document, delete_document, reprocess_document
from shared.web.guard import CurrentCaller, guarded_router, needs
from shared.web.problems import Problem

router = guarded_router()

CANCEL_ALL = "documents:all:cancel"
DELETE_ALL = "documents:all:delete"
REPROCESS_ALL = "documents:all:reprocess"
CANCEL = needs("documents:own:cancel", CANCEL_ALL)
REPROCESS = needs(REPROCESS_ALL)
DELETE = needs("documents:own:delete", DELETE_ALL)


@router.post("/v1/documents/{document_id}/cancel", openapi_extra=CANCEL)
async def cancel(document_id: UUID, caller: CurrentCaller, use: Use) -> StatusView:
    """409 once the document has ended."""
    owner_id = owner_of(caller, CANCEL_ALL)
    cancelled = await cancel_document(document_id, owner_id=owner_id, use=use)
    document = await find(document_id, caller, use, everybodys=CANCEL_ALL)
    if not cancelled:
        raise Problem(
            HTTPStatus.CONFLICT, "already_ended", f"The document is {document.status} already."
        )
    return status_view(document)


@router.post(
    "/v1/documents/{document_id}/reprocess",
    status_code=HTTPStatus.ACCEPTED,
    openapi_extra=REPROCESS,
)
async def reprocess(document_id: UUID, caller: CurrentCaller, use: Use) -> StatusView:
    """Only what failed: a result is never taken back, it is corrected in its review."""
    owner_id = owner_of(caller, REPROCESS_ALL)
    reopened = await reprocess_document(document_id, owner_id=owner_id, use=use)
    document = await find(document_id, caller, use, everybodys=REPROCESS_ALL)
    if not reopened:
        raise Problem(HTTPStatus.CONFLICT, "not_failed", f"The document is {document.status}.")
    return status_view(document)


@router.delete(
    "/v1/documents/{document_id}", status_code=HTTPStatus.NO_CONTENT, openapi_extra=DELETE
)
async def delete(document_id: UUID, caller: CurrentCaller, use: Use) -> Response:
    """Erases what the document said. Deleting twice is deleting once."""
    owner_id = owner_of(caller, DELETE_ALL)
    if not await delete_document(
        document_id, owner_id=owner_id, actor=caller.owner_id, use=use
    ):
        # Either it is a tombstone, which is what was asked for, or there is none.
        await find(document_id, caller, use, everybodys=DELETE_ALL, deleted=None)
    return Response(status_code=HTTPStatus.NO_CONTENT)
