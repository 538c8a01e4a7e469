"""The routes that end a document or begin it anew: cancel, delete, reprocess."""

from http import HTTPStatus
from typing import Self
from uuid import UUID

from fastapi import Response
from pydantic import BaseModel, ConfigDict, Field, StrictBool, model_validator

from services.ingest.api.asking import Use, find, owner_of
from services.ingest.api.holds import refuse_held
from services.ingest.api.shapes import StatusView, status_view
from services.ingest.domain.documents import Document
from services.ingest.handlers import cancel_document, delete_document, reprocess_document
from shared.configuration.engines import EngineName
from shared.web.guard import CurrentCaller, guarded_router, needs
from shared.web.problems import Problem

router = guarded_router()

CANCEL_ALL = "documents:all:cancel"
DELETE_ALL = "documents:all:delete"
REPROCESS_ALL = "documents:all:reprocess"
CANCEL = needs("documents:own:cancel", CANCEL_ALL)
REPROCESS = needs(REPROCESS_ALL)
DELETE = needs("documents:own:delete", DELETE_ALL)
_BY_FORCE = 'It would be read as before; {"force": true} has the engine read it anew.'


@router.post("/v1/documents/{document_id}/cancel", openapi_extra=CANCEL)
async def cancel(document_id: UUID, caller: CurrentCaller, use: Use) -> StatusView:
    """409 once the document has ended, or while one that has a result is read anew."""
    owner_id = owner_of(caller, CANCEL_ALL)
    cancelled = await cancel_document(
        document_id, owner_id=owner_id, actor=caller.owner_id, use=use
    )
    document = await find(document_id, caller, use, everybodys=CANCEL_ALL)
    if not cancelled:
        await refuse_held([document_id], use)
    if not cancelled and document.completed_at is None:
        raise Problem(
            HTTPStatus.CONFLICT,
            "has_result",
            "The document is being read anew and has a result, which stays. It can be deleted.",
        )
    if not cancelled:
        raise Problem(
            HTTPStatus.CONFLICT, "already_ended", f"The document is {document.status} already."
        )
    return status_view(document)


class Reprocess(BaseModel):
    model_config = ConfigDict(extra="forbid")

    force: StrictBool = Field(
        False, description="Have the engine read it anew, whatever is known of its content."
    )
    engine: EngineName | None = Field(
        None, description="Who is to read it; without a name, the usual engines. Needs `force`."
    )

    @model_validator(mode="after")
    def _is_forced(self) -> Self:
        if self.engine is not None and not self.force:
            raise ValueError("an engine is chosen only for what is read anew by force")
        return self


@router.post(
    "/v1/documents/{document_id}/reprocess",
    status_code=HTTPStatus.ACCEPTED,
    openapi_extra=REPROCESS,
)
async def reprocess(
    document_id: UUID, caller: CurrentCaller, use: Use, asked: Reprocess | None = None
) -> StatusView:
    """What failed; with `force` also what has a result, which stays until there is a newer."""
    wanted = asked or Reprocess()
    reopened = await reprocess_document(
        document_id,
        owner_id=owner_of(caller, REPROCESS_ALL),
        actor=caller.owner_id,
        use=use,
        force=wanted.force,
        engine=wanted.engine,
    )
    document = await find(document_id, caller, use, everybodys=REPROCESS_ALL)
    if not reopened:
        raise _not_reopened(document)
    return status_view(document)


@router.delete(
    "/v1/documents/{document_id}", status_code=HTTPStatus.NO_CONTENT, openapi_extra=DELETE
)
async def delete(document_id: UUID, caller: CurrentCaller, use: Use) -> Response:
    """Erases what the document said; 409 while it is held. Twice is once."""
    owner_id = owner_of(caller, DELETE_ALL)
    if not await delete_document(
        document_id, owner_id=owner_id, actor=caller.owner_id, use=use
    ):
        # A tombstone, which is what was asked for, or nobody's, or on hold.
        await find(document_id, caller, use, everybodys=DELETE_ALL, deleted=None)
        await refuse_held([document_id], use)
    return Response(status_code=HTTPStatus.NO_CONTENT)


def _not_reopened(document: Document) -> Problem:
    reason, what_to_do = {
        "cancelled": ("cancelled", "Every stage has forgotten it; hand it in again."),
        "completed": ("has_result", _BY_FORCE),
        "duplicate": ("has_result", _BY_FORCE),
    }.get(document.status, ("under_way", "It can be begun anew once it has ended."))
    detail = f"The document is {document.status}. {what_to_do}"
    return Problem(HTTPStatus.CONFLICT, reason, detail)
